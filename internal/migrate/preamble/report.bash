skillhand_running='' skillhand_reported='' skillhand_own=''
skillhand_start=${EPOCHREALTIME-} skillhand_seconds=$SECONDS

skillhand_end() { # the end of the file, which an end by a signal does not reach
	local status=$?
	if [[ $skillhand_running ]]; then exit "$status"; fi
	return "$status"
}

skillhand_exit() {
	skillhand_status=$? skillhand_why='' skillhand_last=$BASH_COMMAND # before bash 5, [[ changes it
	if [[ $skillhand_ends ]]; then
		case $skillhand_status:$skillhand_last in # a signal leaves $? as it was
		0:exit* | 0:builtin\ exit* | 0:command\ exit* | [1-9]*) ;;
		*) skillhand_status=1 skillhand_why='ended by a signal' ;;
		esac
	fi
	if [[ $skillhand_own && $- == *u* ]] && skillhand_unset "$skillhand_own"; then
		skillhand_apart
	elif [[ $skillhand_own ]]; then # the script's own trap may end with another status
		exit() {
			((BASH_SUBSHELL > 0)) || skillhand_report "${1-$skillhand_status}" ''
			builtin exit "${1-$skillhand_status}"
		}
		if [[ $- == *e* ]]; then
			set -E
			builtin trap 'skillhand_failed' ERR
		fi
		skillhand_return "$skillhand_status" && :
		eval "$skillhand_own"
	fi
	skillhand_report "$skillhand_status" "$skillhand_why"
}

skillhand_return() { return "$1"; }

skillhand_failed() { # set -e ends the script's own trap here
	local status=$?
	if [[ $- == *e* ]]; then skillhand_report "$status" ''; fi
}

skillhand_unset() { # whether commands use a variable that is not set, at which set -u would end us
	local text=$1 name body variable='[$][{]?([A-Za-z_][A-Za-z0-9_]*)(.*)'
	for name in $1; do
		if [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*\;?$ ]] && body=$(declare -f -- "${name%;}"); then text+=$body; fi
	done
	while [[ $text =~ $variable ]]; do
		name=${BASH_REMATCH[1]} text=${BASH_REMATCH[2]}
		if [[ -z ${!name+set} ]]; then return 0; fi
	done
	return 1
}

skillhand_apart() { # runs the script's own trap where set -u cannot end us
	local status=0 said
	eval "said=\$(skillhand_within $skillhand_back>&1 1>&$skillhand_fd)" || status=$?
	# It exits with a status of its own, or set -e ends it; if set -u alone does, bash keeps the old one.
	if [[ $said || $- == *e* && $status != 0 ]]; then
		skillhand_report "$status" ''
		builtin exit "$status"
	fi
}

skillhand_within() { # runs it, and says x if it calls exit
	builtin trap - EXIT
	exit() {
		((BASH_SUBSHELL > 1)) || builtin printf x >&"$skillhand_back"
		builtin exit "${1-$skillhand_status}"
	}
	skillhand_return "$skillhand_status" && :
	eval "$skillhand_own"
	builtin exit 0
}

skillhand_trap() { # is trap, but what is for EXIT will run before the report
	local arguments=("$@") command signal
	[[ $1 != -- ]] || shift
	if ((BASH_SUBSHELL > 0 || $# < 2)) || [[ $1 == -?* || ! $skillhand_running ]]; then
		builtin trap "${arguments[@]}"
		return
	fi
	command=$1
	shift
	for signal; do
		case $signal in
		[Ee][Xx][Ii][Tt] | 0)
			skillhand_own=${command#-}
			if [[ $command == skillhand_exit ]]; then skillhand_own=''; fi # what trap -p said
			;;
		*) builtin trap -- "$command" "$signal" || return ;;
		esac
	done
}

skillhand_report() { # has the report of a script that ends with status $1, because of $2, printed. It may have a printf of its own
	local skillhand_answer
	if [[ $skillhand_reported ]]; then return 0; fi
	skillhand_reported=1
	builtin trap '' PIPE
	builtin printf '%s %s %s\n' "$skillhand_token" "$1" "$2" 2>/dev/null >&"$skillhand_fd" || :
	TMOUT=0 builtin read -r -u "$skillhand_back" skillhand_answer || : # it ends when the report is out
}

skillhand_begin() { # from here on stdout is for the report
	skillhand_running=1 skillhand_back=$((skillhand_fd + 1)) skillhand_token=$'\1'skillhand:$$:$RANDOM$RANDOM
	if ! skillhand_open; then
		echo "skillhand: no report: there is no room for one more process" >&2
		exit 1
	fi
	trap skillhand_exit EXIT
	if [[ ${skillhand_traps-} == "$$" ]]; then # a file that the script sources sets a trap
		trap() { skillhand_trap "$@"; }
	fi
}

skillhand_open() { # sends stdout to a listener, in a pipe of which this shell need not know as a job
	eval "exec $skillhand_back>&1" 2>/dev/null || eval "exec $skillhand_back>/dev/null"
	eval "coproc skillhand_pipe { read -r; { skillhand_listen <&$skillhand_fd $skillhand_fd<&- & } $skillhand_fd<&0; }" &&
		skillhand_pid=$skillhand_pipe_PID &&
		eval "exec $skillhand_fd>&${skillhand_pipe[1]} $skillhand_back<&${skillhand_pipe[0]}" &&
		exec 1>&"$skillhand_fd" && echo || return
	wait "$skillhand_pid" || :
}

skillhand_listen() { # passes lines on to stderr, hears them, and prints the report when it is told how it ended
	local LC_ALL=C IFS=$'\r\n' success=true confidence=0.5 deliverables='' errors='' errored=0 more=0 heading='' row='' passed='' quoting='' trouble='' since='' doubt='' step='' line part told='' many=0 begun='' document='' rest=()
	local -A delivered known
	trap - EXIT ERR DEBUG RETURN
	trap '' HUP INT QUIT PIPE TERM
	set +eux -f
	shopt -u nocasematch
	unset TMOUT
	while [[ ! $told ]] && if ((many++ < 1000)); then skillhand_line; else skillhand_block; fi; do :; done
	if [[ ! $told ]]; then return; fi # it was killed
	if [[ ! $document ]]; then skillhand_print "${told%% *}" "${told#* }" 2>/dev/null; fi
	eval "exec 1>&- $skillhand_back>&-"
	while IFS='' read -r line || [[ $line ]]; do printf '%s\n' "$line" >&2; done # of what goes on in the background
}

skillhand_line() { # takes in a line. Bash reads a pipe byte by byte, which is slow for many
	if IFS='' read -r line; then
		skillhand_take "$line"$'\n'
	else
		skillhand_take "$line"
		[[ $line ]]
	fi
}

skillhand_block() { # takes in what is there, without a line's beginning at the end of it
	local block
	{ block=$(dd bs=65536 count=1 2>/dev/null && echo x); } 2>/dev/null
	case $block in
	x)
		printf -v line %s "${rest[@]}"
		skillhand_take "$line"
		return 1
		;;
	?*) ;;
	*) # there is no dd
		many=-1000000000
		skillhand_line
		return
		;;
	esac
	block=${block:0:${#block}-1}
	if [[ $block == *$'\n'* ]]; then
		line=${block%$'\n'*}
		rest+=("$line"$'\n')
		block=${block:${#line}+1}
		printf -v line %s "${rest[@]}"
		skillhand_take "$line"
		rest=()
	fi
	rest+=("$block")
}

skillhand_take() { # passes on and hears a text of whole lines
	local text=$1 before opening='^[[:space:]]*([{][[:space:]]*($|["}])|[[][[:space:]]*($|["{]|\]))'
	if [[ $text == *"$skillhand_token"* ]]; then
		before=${text%"$skillhand_token"*} # from the end: from the start it takes long in a long text
		told=${text:${#before}+${#skillhand_token}+1}
		skillhand_take "$before"
		printf %s "${told#*$'\n'}" >&2 # of what goes on in the background
		told=${told%%$'\n'*}
		return
	fi
	if [[ ! $begun && $text == *[![:space:]]* ]]; then
		begun=1
		if [[ ${skillhand_json-} == "$$" && $text =~ $opening ]]; then document=1; fi
	fi
	if [[ $document ]]; then # the JSON that it was asked for
		printf %s "$text" 2>/dev/null >&"$skillhand_back"
		return
	fi
	printf %s "$text" >&2
	if [[ ! $heading$row$quoting && ( ! $step || $doubt ) && $text != *$'\e'* ]] && ! skillhand_may "$text"; then return; fi
	for part in $text; do
		skillhand_hear "${part:0:10000}" # bash cuts at patterns in quadratic time
		if [[ $part == *'"success"'* && ! $part =~ \"success\"[[:space:]]*:[[:space:]]*true ]]; then success=false; fi
	done
}

skillhand_print() { # prints the report of a script that ended with status $1, because of $2
	local ms=$(((SECONDS - skillhand_seconds) * 1000)) now=${EPOCHREALTIME-}
	if [[ $now && $skillhand_start ]]; then
		ms=$(((${now/[!0-9]/} - ${skillhand_start/[!0-9]/}) / 1000))
	fi
	skillhand_row
	if [[ $heading == 1 ]]; then success=false; fi
	skillhand_conclude "$1"
	if [[ $1 != 0 ]]; then
		success=false
		errors=${errors:-"{\"code\":\"EXIT_STATUS\",\"message\":\"${2:-exit status $1}\"}"}
	fi
	if ((more > 0)); then errors+=",{\"code\":\"LEGACY_ERROR\",\"message\":\"$more more errors are not listed\"}"; fi
	printf '{"success":%s,"confidence":%s,"deliverables":[%s],"metrics":{"execution_time_ms":%s},"errors":[%s]}\n' \
		"$success" "$confidence" "$deliverables" "$((ms < 0 ? 0 : ms))" "$errors" >&"$skillhand_back"
}

skillhand_conclude() { # weighs what all lines of a script that ended with status $1 say
	local json unclear=''
	if [[ $success == false ]]; then
		return
	elif [[ $trouble && ! $since ]]; then # the last word is an error
		success=false
		skillhand_string "$trouble"
		errors=${errors:-"{\"code\":\"LEGACY_ERROR\",\"message\":$json}"}
	elif [[ $trouble ]]; then
		unclear=$trouble
	elif [[ $passed ]]; then
		unclear=$doubt
	fi
	if [[ $unclear && $1 == 0 ]]; then
		success=false
		skillhand_string "Unclear whether it succeeded: ${unclear:0:200}"
		errors+="${errors:+,}{\"code\":\"UNCLEAR\",\"message\":$json}"
	fi
}

# What lines say: the rules of skillhand parse, of which this part is made.

skillhand_hear() { # takes in what a line says: success, passed, trouble, doubt, confidence, deliverables, errors, heading
	local line=$1 said raw code letters at begin start key value sign rest end
	if [[ $line == *$'\e'* ]]; then
		skillhand_uncolor "$line"
		set -- "$line"
	fi
	if skillhand_quoted; then return; fi
	case ${line#"${line%%[![:space:]]*}"} in
	[-=#*\\^]* | $'\xe2'*)
		skillhand_plain "$line"
		if [[ $line =~ $skillhand_line_title ]]; then
			skillhand_title "$1"
			return
		fi
		line=$1
		;;
	esac
	if [[ $row && $line == *[![:space:]]* ]]; then
		if ! [[ $line =~ $skillhand_line_rule ]]; then skillhand_row; fi
		row=''
	fi
	if [[ $heading && $line == *[![:space:]]* ]]; then
		heading=''
		skillhand_plain "$line"
		if skillhand_like "$line" "$skillhand_line_none"; then return; fi
		success=false
	fi
	line=$1
	case $line in
	*[\\*^$'\e']*) ;;
	'Created: '* | 'Modified: '* | 'Updated: '* | 'Generated: '* | 'File: '*) # there may be many
		value=${line#*: }
		value=${value#"${value%%[![:space:]]*}"} value=${value%"${value##*[![:space:]]}"}
		skillhand_unquote "$value"
		skillhand_deliver "$value"
		return
		;;
	esac
	if ! skillhand_may "$line"; then
		skillhand_other "$line"
		return
	fi
	raw=$line
	skillhand_plain "$line"
	if [[ $line =~ $skillhand_line_commit ]]; then return; fi
	if [[ $line =~ $skillhand_line_dots ]]; then line=${BASH_REMATCH[1]}; fi
	if [[ $line =~ $skillhand_line_bracket ]]; then line=${BASH_REMATCH[1]} line=${line:1:${#line}-2}; fi
	skillhand_read "$line"
	rest=${letters:begin}
	if ((begin > 0)) && [[ ${letters:begin-1:1} == [[\(] && $rest == *[]\)]* ]]; then
		end=${line:start} end=${end%%[])]*} rest=${line:start+${#end}+1} end=${line:0:start+${#end}}
		skillhand_read "$rest"
		skillhand_field "$rest"
		if [[ $key ]]; then
			skillhand_read "$end"
			skillhand_classify "!${letters:0:begin}<${letters:begin}~" ''
			skillhand_say
			skillhand_hear "$rest"
			return
		fi
		skillhand_read "$line"
	fi
	skillhand_field "$line"
	case $key in
	confidence)
		skillhand_classify "!$letters<~" ''
		skillhand_say
		skillhand_confide "$value"
		;;
	created | duration | status)
		skillhand_read "${line:0:start}"
		skillhand_classify "!$letters<~" ''
		skillhand_say
		skillhand_unquote "$value"
		if [[ $key == duration ]]; then return; fi # it is measured
		if [[ $key == created ]]; then
			skillhand_deliver "$value"
			return
		fi
		value=${value//[_-]/ }
		skillhand_read "${value//\//|}"
		skillhand_classify "!${letters:0:begin}<${letters:begin}~" status
		skillhand_say
		;;
	*)
		code=''
		if [[ $line =~ $skillhand_line_code ]]; then code=1 begin=${#letters}; fi
		skillhand_classify "!${letters:0:begin}<${letters:begin}~" ''
		if [[ $said == failure ]] && skillhand_like "$line" "$skillhand_line_heading"; then
			heading=1
			return
		fi
		if [[ ! $key && $line == '|'* ]]; then
			row=$said
			return
		fi
		if [[ ! $key || $raw =~ $skillhand_shape_weak ]]; then
			skillhand_shape "$raw"
		elif [[ $code && ( $said == nothing || $said == doubt ) ]]; then
			skillhand_other "$raw"
		fi
		skillhand_say
		if [[ $said == success ]] && ! skillhand_like "$line" "$skillhand_line_whole"; then step=1; fi
		if [[ $said == failure && $key == error && $value ]]; then
			if ((errored++ >= 1000)); then
				((more += 1))
				return
			fi
			skillhand_string "$value"
			errors+="${errors:+,}{\"code\":\"LEGACY_ERROR\",\"message\":$json}"
		fi
		;;
	esac
}

skillhand_quoted() { # whether line is one of a commit, of a diff, or of what a test printed
	if [[ $line == [\ c]* && $line =~ $skillhand_line_quotes ]]; then
		quoting=$skillhand_line_quoted
		return 0
	fi
	if [[ $quoting && $line =~ $quoting ]]; then return 0; fi
	quoting=''
	if [[ $line == @@* && $line =~ $skillhand_line_diff ]]; then quoting=$skillhand_line_hunk; fi
	return 1
}

skillhand_say() { # takes in said, what a line says
	case $said in
	success) passed=1 since=1 doubt='' step='' ;;
	failure) success=false ;;
	esac
}

skillhand_shape() { # takes in what the shape of a line says, beside its words; said is what is left of them
	local line raw shape
	skillhand_uncolor "$1"
	raw=${line#"${line%%[![:space:]]*}"} raw=${raw%"${raw##*[![:space:]]}"} line=${line:0:1000}
	if [[ $line =~ $skillhand_shape_harmless ]]; then
		shape=harmless
	elif [[ $line =~ $skillhand_shape_fatal ]]; then
		said=failure
		if [[ ! $errors ]]; then
			errored=1
			skillhand_string "$raw"
			errors="{\"code\":\"LEGACY_ERROR\",\"message\":$json}"
		fi
		return
	elif [[ $line =~ $skillhand_shape_clear ]]; then
		shape=cleared
	elif [[ $line =~ $skillhand_shape_error && ! $line =~ $skillhand_shape_mild ]]; then
		shape=trouble
		if [[ ${2-} == title && $raw == '#'* ]]; then return; fi
		if [[ $said == failure && $line =~ $skillhand_shape_weak ]]; then said=nothing; fi
	elif [[ $line =~ $skillhand_shape_doubt ]]; then
		shape=doubt
	fi
	case $said:${shape-} in
	success:harmless | failure:harmless) ;;
	*:harmless) ;;
	partial:*) doubt=${doubt:-$raw} ;;
	failure:*) ;;
	*:cleared) trouble='' doubt='' since='' step=1 ;;
	nothing:trouble | doubt:trouble) trouble=$raw since='' said=nothing ;;
	doubt:* | nothing:doubt) doubt=${doubt:-$raw} ;;
	nothing:) skillhand_other "$1" ;;
	esac
}

skillhand_other() { # takes in a line that says nothing: below a step that went well it may be anything, unless it is a detail
	local line
	if [[ ! $step || $doubt ]]; then return; fi
	skillhand_uncolor "$1"
	if [[ $line =~ $skillhand_line_detail ]]; then return; fi
	line=${line#"${line%%[![:space:]]*}"} doubt=${line%"${line##*[![:space:]]}"}
}

skillhand_title() { # takes in a heading: only the lines below it can say something, if it is none of a program
	said=nothing
	skillhand_shape "$1" title
	skillhand_say
	skillhand_plain "$1"
	if [[ $line != *[A-Za-z]* ]]; then return; fi # a rule below a heading
	if [[ $heading == 1 ]]; then success=false; fi
	heading=''
	if skillhand_like "$line" "$skillhand_line_heading"; then heading=title; fi
}

skillhand_may() { # whether a text could say anything. Most say nothing
	local named=$'(^|\n)'"${skillhand_line_named#^}"
	[[ $1 =~ $named ]] || skillhand_like "$1" "$skillhand_marks"
}

skillhand_row() { # what the row of a table said counts: it is no header
	local said=$row
	skillhand_say
}

skillhand_uncolor() { # line is $1 without colors
	local color=$'\e'$'(\\[[0-?]*[ -/]*[@-~]|\\][^\a\e]*(\a|\e\\\\)|[ -/]{0,2}[0-~])'
	line=$1
	while [[ $line =~ $color ]]; do line=${line/"${BASH_REMATCH[0]}"/}; done
	while [[ $line =~ $skillhand_line_colour ]]; do line=${line/"${BASH_REMATCH[0]}"/}; done
}

skillhand_plain() { # line is $1 without colors, and without what an echo has not understood
	skillhand_uncolor "$1"
	line=${line#"${line%%[! $'\t']*}"}
	line=${line#-e } line=${line#-n } line=${line#-ne } line=${line#-en }
	while [[ $line == '\n'* ]]; do line=${line#'\n'}; done
	line=${line%'\n'}
}

skillhand_field() { # key and value of the field that a line has at start
	key='' value=''
	if ! skillhand_like "${1:start:40}" "$skillhand_line_field"; then return; fi
	local name=${BASH_REMATCH[1]} sign=${BASH_REMATCH[0]}
	value=${1:start+${#sign}}
	value=${value#"${value%%[![:space:]]*}"} value=${value%"${value##*[![:space:]]}"}
	if [[ $value == '**'* || ${1:0:start} == *'**' ]]; then value=${value#'**'} value=${value%'**'}; fi
	value=${value#"${value%%[![:space:]]*}"} value=${value%"${value##*[![:space:]]}"}
	case $name in
	[Cc][Oo]*) key=confidence ;;
	[Ss]*) key=status ;;
	[Dd]* | [Ee][Xx]*) key=duration ;;
	[Ee]*) key=error ;;
	*) key=created ;; # or modified, updated, generated, file
	esac
	case $key:$sign in
	confidence:* | status:* | *:) ;;
	*) key='' ;;
	esac
}

skillhand_read() { # turns a line into letters, says which is the first word's, and where that starts
	local line=${1:0:1000} rest letter n i=0 word='' open
	letters='' at=() begin=0
	while ((i < ${#line})); do
		rest=${line:i} letter='' n=1
		case $rest in
@SIGNS@		*) skillhand_letter ;;
		esac
		if [[ $letter ]]; then
			at[${#letters}]=$i
			letters+=$letter
			if [[ $letter == [0-9A-Za-z] && $letter != [XY] ]]; then word=1; fi
		fi
		((i += n))
	done
	while ((begin < ${#letters})); do
		rest=${letters:begin}
		case $rest in
		[[\(]*)
			open=${rest%%[])]*}
			if [[ $open != "$rest" && ${#open} -gt 1 && ${rest:1:1} != [gfetuGFETUky] ]]; then
				((begin += ${#open} + 1))
			else
				((begin += 1))
			fi
			;;
		[XY]*) ((begin += 1)) ;;
		[0-9A-Za-z_]*) break ;;
		*) ((begin += 1)) ;;
		esac
	done
	start=${#1}
	if ((begin < ${#letters})); then start=${at[begin]}; fi
}

skillhand_letter() { # letter and n of what rest begins with
	local run empty=$'^(\\[[ \t]*\\]|\\([ \t]*\\))'
	if [[ $rest =~ $empty ]]; then
		letter=_ n=${#BASH_REMATCH[0]}
		return
	fi
	case $rest in
	[0-9A-Za-z_]* | /[0-9A-Za-z_]* | [.~]/[0-9A-Za-z_]* | [.~][.~]/[0-9A-Za-z_]*) skillhand_word ;;
	\$*)
		[[ $rest =~ ^\$\{*[0-9A-Za-z_]* ]]
		letter=w n=${#BASH_REMATCH[0]}
		;;
	\#[0-9]*)
		[[ $rest =~ ^.[0-9]+ ]]
		letter=1 n=${#BASH_REMATCH[0]}
		;;
	[-=.]*)
		run=${rest%%[!"${rest:0:1}"]*} letter=${rest:0:1}
		case $word$rest in
		-*) if [[ ${rest:${#run}:1} == [0-9A-Za-z_] ]]; then letter=q n=${#run}; fi ;;
		*)
			if ((${#run} > 1)) && [[ $letter != - ]]; then
				letter='' n=${#run}
			elif [[ $letter == . && ! $word ]]; then
				letter=q
			fi
			;;
		esac
		;;
	[\"\'\`{}/\\]*) if [[ ! $word ]]; then letter=q; elif [[ $rest == /* ]]; then letter=/; fi ;;
	[]:,\;\|\(\)[?]*) letter=${rest:0:1} ;;
	esac
}

skillhand_word() { # letter and n of the word, number or name that rest begins with
	local chunk bare
	if [[ $rest == [0-9]* ]]; then
		if [[ ! $word ]]; then
			case ${rest:1} in
			$'\xef\xb8\x8f\xe2\x83\xa3'*) n=7 && return ;;
			$'\xe2\x83\xa3'*) n=4 && return ;;
			esac
			if [[ $rest =~ $skillhand_form_item ]]; then
				n=${#BASH_REMATCH[0]}
				return
			fi
		fi
		if [[ $rest =~ $skillhand_form_many ]]; then
			letter=1 n=${#BASH_REMATCH[0]}
			return
		fi
		if [[ $rest =~ $skillhand_form_ratio ]]; then
			n=${#BASH_REMATCH[0]}
			skillhand_share "${BASH_REMATCH[1]}" "${BASH_REMATCH[5]}"
			return
		fi
		if [[ $rest =~ $skillhand_form_percent ]]; then
			n=${#BASH_REMATCH[0]}
			if [[ ${BASH_REMATCH[1]} != *[!0]* && ${BASH_REMATCH[2]} == *[1-9]* ]]; then
				letter=p
			else
				skillhand_share "${BASH_REMATCH[1]}" 100
			fi
			return
		fi
	fi
	[[ $rest =~ $skillhand_form_word ]]
	chunk=${BASH_REMATCH[0]} n=${#BASH_REMATCH[0]}
	shopt -s nocasematch
	case ${chunk/ /-} in # rolled back
@WORDS@	*n\'t) letter=x ;;
	esac
	shopt -u nocasematch
	bare=${chunk%'(s)'}
	case $letter in
	[gfetu]) if [[ $bare != *[a-z]* ]]; then
		case $letter in g) letter=G ;; f) letter=F ;; e) letter=E ;; t) letter=T ;; u) letter=U ;; esac
	fi ;;
	?) ;;
	*)
		letter=w
		if [[ $chunk =~ $skillhand_form_number ]]; then
			letter=1
			if [[ $chunk != *[!0]* ]]; then letter=0; elif [[ $chunk != *[!0.]* ]]; then letter=Z; fi
		elif [[ $chunk =~ $skillhand_form_joined && ! $chunk =~ $skillhand_form_name ]]; then
			letter=F
		elif [[ $chunk == [0-9]* ]]; then
			letter=1
		fi
		;;
	esac
}

skillhand_share() { # letter of $1 out of $2
	local some=${1#"${1%%[!0]*}"} all=${2#"${2%%[!0]*}"}
	letter=1
	if [[ ! $some ]]; then
		letter=z
	elif ((${#some} < ${#all})) || [[ ${#some} == "${#all}" && $some < $all ]]; then
		letter=p
	fi
}

skillhand_classify() { # sets said to what a line of letters says; $2 is status for that of a status
	said=${known["$2$1"]-} # logs have few kinds of lines
	if [[ ! $said ]]; then
		if ((${#known[@]} > 10000)); then known=(); fi
		skillhand_judge "$1" "$2"
		known["$2$1"]=$said
	fi
}

skillhand_judge() { # sets said to what a line of letters says
	local letters=$1 fails=$skillhand_fails i all lead core
	said=nothing
	if [[ $2 ]]; then
		if [[ $letters =~ $skillhand_status_begins_failed ]]; then
			said=failure
			return
		fi
		fails=$skillhand_status_fails letters=${letters/<[ky]/<g}
	elif [[ $letters != *'<'[gx]* && $letters != *[fetudGFETUWXY]* && $letters != *'[<k'* ]]; then
		return
	fi
	for ((i = 0; i < ${#skillhand_rules[@]}; i += 2)); do
		while [[ $letters =~ ${skillhand_rules[i + 1]} ]]; do
			all=${BASH_REMATCH[0]} lead=${BASH_REMATCH[1]} core=${BASH_REMATCH[2]}
			letters=${letters%%"$all"*}$lead${skillhand_rules[i]}${all:${#lead}+${#core}}${letters#*"$all"}
		done
	done
	if [[ $letters =~ $fails ]]; then
		said=failure
	elif [[ $letters =~ $skillhand_passes ]]; then
		said=success
		if [[ $letters =~ $skillhand_unless ]]; then said=partial; fi
	elif [[ ! $2 && $letters =~ $skillhand_doubts ]]; then
		said=doubt
	fi
}

skillhand_confide() { # takes in a confidence: 0.92, 92%, 9/10
	local value=${1:0:60} number of scale=1 digits decimal='^[+]?([0-9]*)[.]?([0-9]*)$'
	if ! [[ $value =~ $skillhand_value_confidence ]]; then return; fi
	number=${BASH_REMATCH[1]/,/.} of=${BASH_REMATCH[8]}
	if [[ $of ]]; then
		if ! [[ $number =~ $decimal && ${#number} -lt 10 ]]; then return; fi
		digits=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
		printf -v scale '1%0*d' "${#BASH_REMATCH[2]}" 0
		if [[ ! ${BASH_REMATCH[2]} ]]; then scale=1; fi
		of=$((10#$of * scale))
		if ((of == 0 || 10#$digits > of)); then return; fi
		of=$(((2000000000 * 10#$digits + of) / (2 * of)))
		printf -v number '%d.%09d' "$((of / 1000000000))" "$((of % 1000000000))"
	else
		if [[ ${BASH_REMATCH[5]} ]]; then number+=e-2; fi
		printf -v number '%.9f' "$number" 2>/dev/null || return
	fi
	if [[ $number == 0.* || $number =~ ^1\.0+$ ]]; then
		number=${number%"${number##*[!0]}"}
		confidence=${number%.}
	fi
}

skillhand_unquote() { # value is $1 without the quotes around all of it
	value=$1
	case $value in
	\"?*[\"]*\" | \'?*[\']*\' | \`?*[\`]*\`) ;; # several
	\"*\" | \'*\' | \`*\`) if ((${#value} > 1)); then value=${value:1:${#value}-2}; fi ;;
	esac
}

skillhand_deliver() { # takes in a deliverable, once
	if [[ ! $1 ]] || skillhand_like "$1" "$skillhand_value_no_path"; then return; fi
	skillhand_string "$1"
	if [[ ! ${delivered["$json"]-} ]]; then deliverables+=${deliverables:+,}$json; fi
	delivered["$json"]=1
}

skillhand_string() { # makes a text a JSON string, in json
	local text char
	skillhand_utf8 "$1"
	text=${text//\\/\\\\}
	text=${text//\"/\\\"}
	while [[ $text =~ [[:cntrl:]] ]]; do
		printf -v char '\\u%04x' "'${BASH_REMATCH[0]}"
		text=${text//"${BASH_REMATCH[0]}"/$char}
	done
	json=\"$text\"
}

skillhand_utf8() { # text is $1 with U+FFFD in place of bytes that are no UTF-8
	local rest=$1 bad='' more=$'[\x80-\xbf]' valid
	text=$1
	if [[ $1 != *[$'\x80'-$'\xff']* ]]; then return; fi
	text='' valid="^([^"$'\x80-\xff]|[\xc2-\xdf]'"$more|"$'\xe0[\xa0-\xbf]'"$more|"$'\xed[\x80-\x9f]'"$more|"$'[\xe1-\xec\xee\xef]'"$more$more|"
	valid+=$'\xf0[\x90-\xbf]'"$more$more|"$'\xf4[\x80-\x8f]'"$more$more|"$'[\xf1-\xf3]'"$more$more$more)+"
	while [[ $rest ]]; do
		if [[ $rest =~ $valid ]]; then
			text+=${BASH_REMATCH[0]} rest=${rest:${#BASH_REMATCH[0]}} bad=''
		else
			if [[ ! $bad ]]; then text+=$'\xef\xbf\xbd'; fi
			rest=${rest:1} bad=1
		fi
	done
}

skillhand_like() { # whether a text matches, in any case
	local status=1
	shopt -s nocasematch
	if [[ $1 =~ $2 ]]; then status=0; fi
	shopt -u nocasematch
	return "$status"
}

@RULES@
if [[ ${BASH_SOURCE[@DEPTH@]-$0} == "$0" ]]; then # run, not sourced
	if ((BASH_VERSINFO[0] < 4)); then
		echo "skillhand: no report, only the text: this is bash $BASH_VERSION, and a report needs 4 or later" >&2
	else
		skillhand_begin
	fi
fi
