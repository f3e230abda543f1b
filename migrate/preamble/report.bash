skillhand_running='' skillhand_said='' skillhand_reported='' skillhand_start=${EPOCHREALTIME-} skillhand_seconds=$SECONDS

skillhand_report() { # prints the report of a script that ends with status $1, because of $2
	local LC_ALL=C success=true confidence=0.5 deliverables='' errors='' json line ms now=${EPOCHREALTIME-}
	if [[ $skillhand_reported ]]; then return 0; fi
	skillhand_reported=1
	ms=$(((SECONDS - skillhand_seconds) * 1000))
	if [[ $now && $skillhand_start ]]; then
		ms=$(((${now/[!0-9]/} - ${skillhand_start/[!0-9]/}) / 1000))
	fi
@HEAR@	if [[ $1 != 0 ]]; then
		success=false
		errors=${errors:-"{\"code\":\"EXIT_STATUS\",\"message\":\"${2:-exit status $1}\"}"}
	fi
	trap '' PIPE # a reader who left does not change the exit status
	printf '{"success":%s,"confidence":%s,"deliverables":[%s],"metrics":{"execution_time_ms":%s},"errors":[%s]}\n' \
		"$success" "$confidence" "$deliverables" "$((ms < 0 ? 0 : ms))" "$errors" 2>/dev/null >&@FD@ || :
}
