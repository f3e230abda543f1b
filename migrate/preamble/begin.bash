
if [[ ${BASH_SOURCE[0]-$0} == "$0" ]]; then # run, not sourced
	skillhand_running=1
	exec @FD@>&1 || exec @FD@>/dev/null
	exec 1>&2 || exec 1>/dev/null
	trap skillhand_exit EXIT
fi
