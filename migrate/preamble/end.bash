
skillhand_end() { # the end of the file, which an end by a signal does not reach
	local status=$?
	if [[ ${BASH_SOURCE[0]-$0} == "$0" ]]; then exit "$status"; fi
	return "$status"
}
