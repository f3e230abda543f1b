	while IFS='' read -r line; do
		case $line in
		*[Ss]ucce* | *SUCCE* | *[Ff]ail* | *FAIL* | *[Ee]rror* | *ERROR* | *[Pp]ass* | *PASS* | *[Cc]omplet* | *COMPLET* | *❌*) skillhand_hear "$line" ;;
		*[Ss]tatus* | *STATUS* | *onfidence* | *CONFIDENCE* | *reated* | *CREATED* | *odified* | *MODIFIED* | *pdated* | *UPDATED*) skillhand_hear "$line" ;;
		esac
	done <<<"${skillhand_said//$'\r'/$'\n'}"
