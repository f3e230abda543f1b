
skillhand_say() { # runs echo, printf or cat, and keeps what it prints for the report
	local IFS=' ' text='' status=0
	case $1 in
	cat)
		IFS='' read -r -d '' text || :
		"$@" <<<"${text%$'\n'}" || status=$?
		;;
	printf)
		printf -v text "${@:2}" 2>/dev/null || :
		"$@" || status=$?
		;;
	*)
		"$@" || status=$?
		text=${*:2}$'\n'
		while [[ $text == -[neE]' '* || $text == -[neE][neE]' '* ]]; do
			case ${text%% *} in *n*) text=${text%$'\n'} ;; esac
			case ${text%% *} in
			*e*) printf -v text '%b' "${text#* }" ;;
			*) text=${text#* } ;;
			esac
		done
		;;
	esac
	skillhand_said+=$text
	return "$status"
}

skillhand_hear() { # takes in what a line says
	local line=$1 colour=$'(\e|\\\\033|\\\\e|\\\\x1b|\\^\\[)(\\[[0-9;?]*[A-Za-z]|\\(B)'
	local bad='(fail(ed|ures?)?|errors?|unsuccessful(ly)?)' good='(success[a-z]*|succeeded|passed|completed)'
	local BAD='((NOT|not|NEVER|never|N'\''T|n'\''t)( (BE|be|BEEN|been|YET|yet|FULLY|fully))* +(SUCCESSFUL|PASSED|COMPLETED)|FAIL(ED|URES?)?|ERRORS?|UNSUCCESSFUL)'
	local begin='(^|[^[:alnum:]_./@${-]|[^[:alnum:]_][./@-])' end='($|[^[:alnum:]_./@-]|[./@-]($|[^[:alnum:]_]))'
	local bullet='^([0-9]{1,3}[.)] +|-+[^[:alnum:]_-]|[[][^]]*]|[(][^)]*[)]|[^[:alnum:]"`{}$/\._-])'
	local colon='[] *_)]*[:=][ *]*' stopped='(not|failing|errored|false|incomplete|aborted|cancell?ed|crashed|timeout|broken)'
	while [[ $line =~ $colour ]]; do line=${line/"${BASH_REMATCH[0]}"/}; done
	if [[ $line =~ ^[[:space:]]*[[(]([^][()]*)[])][[:space:]]*$ ]]; then line=${BASH_REMATCH[1]}; fi
	line=${line//'**'/} # emphasis says nothing
	line=${line#-e } line=${line#'\n'} line=${line%'\n'}
	# What is negated, mended, or counts to nought says nothing.
	local no='(no|none|nothing|neither|zero|without|w/o)( any| of the)?' also='( or| nor| have| has)?' counted='(errors|failures)'
	local nought='(0+(\.0+)?(%|( */| of) *[0-9]+)?|zero|none( found)?|no( [a-z]+){0,2} errors?|no|nil|null|false|-|\[\]|\(\)|"")'
	local tests='( (test|check|job|step|task|unit|case|build|host|file|suite)s?| errors? n?or)?' alone='($|[^[:alnum:]_./@:=-]|[./@-]($|[^[:alnum:]_]))'
	local open="[\"'\`❌<]* *($nought|[[(]$nought[])])[\"'\`)>]* *" after='($|[],;|❌!/(]|│|🎉|- |\.($|[^0-9])|[a-z]+ *[:=]|(found|total|reported|in|and|tests?|checks?|files?)($| )|errors from)'
	local label="^[^[:alnum:]]*$bad((\(s\))?( [a-z]+s| *([|?-]|│|[-=]+>|—|\.\.+))? *$open($|[;|❌]|│|\.$|[a-z]+ +[0-9]+($|[,;|]))|,0$)" part='^[^[:alnum:]]*(FAIL|FAILED|ERRORS?)[^[:alnum:]:=]*0+ *(/|%|of)'
	while skillhand_like "$line" "$begin$bad(\(s\))?( [a-z]+)? *(\.\.+ *)?[:=] *$open$after" || { ! [[ $line =~ $part ]] && skillhand_like "$line" "$label"; } ||
		skillhand_like "$line" "(^|[^[:alnum:]_.,/-])($no( [a-z]+)?$also +$counted|$no$tests$also +$bad|(not|never|cannot)( an?( single)?)? +$bad)$end" ||
		skillhand_like "$line" "(^|[^[:alnum:] _./=#-] *| [/-] |(and|with|found) |[0-9] +[a-z]+ +)0( *(/|of( the)?) *[0-9]+)?(( [a-z]+)? +$counted|$tests +$bad)$alone" ||
		skillhand_like "$line" "(fixed|resolved|corrected|handled) [^,;]*$bad$end" ||
		skillhand_like "$line" "${bad}[ -]free"; do
		local hit=${BASH_REMATCH[0]} next=''
		if [[ $hit =~ [A-Za-z]+\ *[:=]$ ]]; then next=${BASH_REMATCH[0]}; fi # it has a count of its own
		line=${line/"$hit"/ 0 $next}
	done
	local cross='❌ *[:=]? *(0|None|none)( *(/|of) *[0-9]+)? *($|[,;|)✅]|[(] *[0-9.]+ *%)|^[^[:alnum:]]*❌ *[|] *0 *[|]|^ *(0|[Nn]o) *❌ *$'
	while [[ $line =~ $cross ]]; do line=${line/"${BASH_REMATCH[0]}"/ 0 }; done
	if [[ $line == *❌* ]]; then success=false; fi
	local first=$line # past bullets, numbers and brackets
	while ! skillhand_like "$first" "^[[(]$bad$end" && [[ $first =~ $bullet ]]; do
		first=${first#"${BASH_REMATCH[0]}"}
	done
	first=${first#[[(]}
	if skillhand_like "$first" "^confidence( score| level)?$colon(.*)"; then
		skillhand_confide "${BASH_REMATCH[2]}"
	elif skillhand_like "$first" '^(created|modified|updated)[] *_)]*: *(.*[^[:space:]])'; then
		skillhand_deliver "${BASH_REMATCH[2]}"
		return 0
	fi
	if skillhand_like "$first" "^status$colon"; then first=${first//[_\/-]/ } line=$first; fi
	if [[ $line =~ $begin$BAD$end ]] ||
		skillhand_like "$first" "^not +$good$end" ||
		skillhand_like "$first" "^$bad$end" ||
		skillhand_like "$first" "^status$colon([^[:alnum:]]*$stopped|(.*[^[:alnum:]])?$bad)$end" ||
		skillhand_like "$first" "^success *[:=] *(false|no|fail(ed|ure)?|error)$end" ||
		skillhand_like "$first" "^$good[^[:alnum:]].*(with|but|[1-9][0-9]*)( [a-z]+)? +$bad$end" ||
		skillhand_like "$first" "^$good[^[:alnum:]].*(\($bad|$bad(\(s\))? *[:=]? *[1-9])"; then
		success=false
		if skillhand_like "$first" '^(error[])] *)?error[] *_)]*:[ *]*(.*[^[:space:]])'; then
			skillhand_string "${BASH_REMATCH[2]}"
			errors+="${errors:+,}{\"code\":\"LEGACY_ERROR\",\"message\":$json}"
		fi
	fi
}

skillhand_confide() { # takes in a confidence: 0.92, 92%, 9/10
	local number='^["'\''`~(*[]*\+?([0-9]{0,9})([.,]([0-9]*))? *(%|/ *([0-9]{1,9}))?($|[^[:alnum:]_%./]|\.($| ))' whole part
	if ! [[ $1 =~ $number && ${BASH_REMATCH[1]}${BASH_REMATCH[3]} ]]; then return 0; fi
	whole=$((10#0${BASH_REMATCH[1]})) part=${BASH_REMATCH[3]}
	case ${BASH_REMATCH[4]} in
	%)
		printf -v whole '%03d' "$whole"
		part=${whole:${#whole}-2}$part whole=$((10#${whole%??}))
		;;
	/*)
		if ((10#${BASH_REMATCH[5]} == 0)); then return 0; fi
		printf -v whole '%04d' "$((whole * 1000 / 10#${BASH_REMATCH[5]}))"
		part=${whole:${#whole}-3} whole=$((10#${whole%???}))
		;;
	esac
	if ((whole == 0)) || [[ $whole == 1 && ! $part =~ [1-9] ]]; then confidence=$whole${part:+.$part}; fi
}

skillhand_deliver() { # takes in a deliverable, once
	local path=$1
	case $path in
	\"?*[\"]*\" | \'?*[\']*\' | \`?*[\`]*\`) ;; # several
	\"?*\" | \'?*\' | \`?*\`) path=${path:1:${#path}-2} ;;
	none | None | - | n/a | nothing | [0-9] | [0-9]\ files) return 0 ;;
	esac
	skillhand_string "$path"
	if [[ ,$deliverables, != *",$json,"* ]]; then deliverables+=${deliverables:+,}$json; fi
}

skillhand_string() { # makes a text a JSON string, in json
	local i char code
	json=''
	for ((i = 0; i < ${#1}; i++)); do
		char=${1:i:1}
		case $char in
		[\"\\]) json+=\\$char ;;
		[[:cntrl:]]) printf -v code '\\u%04x' "'$char" && json+=$code ;;
		*) json+=$char ;;
		esac
	done
	json=\"$json\"
}

skillhand_like() { # whether a text matches, in any case
	local status=1
	shopt -s nocasematch
	if [[ $1 =~ $2 ]]; then status=0; fi
	shopt -u nocasematch
	return "$status"
}
