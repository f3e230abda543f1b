
skillhand_own=''
skillhand_return() { return "$1"; }
skillhand_failed() { # set -e ends the script's own trap here
	local status=$?
	if [[ $- == *e* ]]; then skillhand_report "$status" ''; fi
}

skillhand_trap() { # is trap, but what is for EXIT will run before the report
	local arguments=("$@") command signal
	[[ $1 != -- ]] || shift
	if ((BASH_SUBSHELL > 0 || $# < 2)) || [[ $1 == -?* ]]; then
		trap "${arguments[@]}"
		return
	fi
	command=$1
	shift
	for signal; do
		case $signal in
		[Ee][Xx][Ii][Tt] | 0) skillhand_own=${command#-} ;;
		*) trap -- "$command" "$signal" || return ;;
		esac
	done
}
