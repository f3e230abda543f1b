
skillhand_end() { # the end of the file, which an end by a signal does not reach
	local status=$?
	if [[ $skillhand_running ]]; then exit "$status"; fi
	return "$status"
}
