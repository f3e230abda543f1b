	if [[ $skillhand_own ]]; then # the script's own trap may end with another status
		exit() {
			((BASH_SUBSHELL > 0)) || skillhand_report "${1-$skillhand_status}" ''
			builtin exit "${1-$skillhand_status}"
		}
		if [[ $- == *e* ]]; then
			set -E
			trap 'skillhand_failed' ERR
		fi
		skillhand_return "$skillhand_status" && :
		eval "$skillhand_own"
	fi
