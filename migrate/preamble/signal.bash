	case $skillhand_status:$BASH_COMMAND in # a signal leaves $? as it was
	0:exit* | 0:builtin\ exit* | 0:command\ exit* | [1-9]*) ;;
	*) skillhand_status=1 skillhand_why='ended by a signal' ;;
	esac
