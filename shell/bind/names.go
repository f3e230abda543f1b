package bind

// harmlessNames are names of languages that run nothing: words of the language, functions, methods. What is
// not here, and what the code does not name itself, may run things.
var harmlessNames = set(`
and as async await begin bool boolean break case catch char class const continue def default del delete elif else elsif end ensure enum except exit
export extends false finally float for foreach fn func function global goto if in instanceof int is lambda last let local loop match my new next nil
None not null nonlocal object of or our pass print printf puts p pp echo raise redo repeat require_json rescue return say self static str string sub
super switch then this throw throws True true False try type typeof undef undefined unless until use var void warn while with yield BEGIN END abs all
any append args argv array Array ascii atan2 b64decode b64encode basename bin bind BufferedReader bytes call capitalize casefold ceil center charAt
charCodeAt chars chdir chomp chop chr cos clear close closest code collect combine concat console contains copy Counter count crypt ctime cwd date Date
datetime day decode defaultdict defined dict digest dir dirname dirs divmod dump dumps each each_line each_with_index empty encode encodeURIComponent
decodeURIComponent endswith endsWith entries enumerate env environ environment err error Error errors every exists existsSync exp expanduser expandtabs
extname fabs fetchall fetchone field fields file File fileno filter filterfalse finditer findall find findIndex first fill flat flatMap flatten floor
flush forEach format format_map formatDate freeze from fromkeys fromtimestamp frozenset fullmatch gcd get getcwd getDate getenv getFullYear getHours
getMinutes getMonth getTime gets getsize getSeconds glob grep group groupby groups gsub has hasOwnProperty hash header headers hex hexdigest home hour
id imap includes index indexOf info inspect insert instance integer intersection inverse ip is_a isalnum isalpha isArray isatty isdecimal isdigit isdir
isfile isFile isDirectory isInteger islower isNaN isnumeric isoformat isspace issubset issuperset istitle isupper items iter iterdir join JSON json
keys key kind kwargs lastIndexOf lc lcfirst len length lexists line lineno lines list listdir ljust loads localtime log lower lstrip ltrim main map max
md5 merge message min mkdir mode month mtime name named nargs now nth nullslast number Number Object oct ord os out output pad padEnd padStart parent
parents parse parseFloat parseInt partition path Path pathlib pformat pid pop pos pow pprint pretty PrettyPrinter print_r println process product push
q quote randint random randrange range read readdir readdirSync readFile readFileSync readline readlines readable real realpath reduce Regexp RegExp
reject relative relpath remove rename replace replaceAll repr resolve result reverse reversed rfind rindex rjust root round rsplit rstrip rtrim sample
scalar scan search seek select sep set Set setdefault sha1 sha256 shift shuffle sin size slice sleep slugify some sort sorted sort_by splice split
splitext splitlines sprintf sqrt squeeze start startswith startsWith stat statSync stderr stdin stdout stem strftime String strip stripTags strlen
strpos strptime strrev strtolower strtoupper str_replace str_contains str_pad substr substring subtract suffix sum swapcase sys tan test text time
timedelta timestamp title to_a to_f to_h to_i to_s to_sym toFixed today toISOString toJSON toLocaleString toLocaleUpperCase toLowerCase toString
toUpperCase total transform translate tr trim trimEnd trimStart tuple typing ucfirst uc ucwords union unique uniq unlink unquote unshift upcase
downcase update upper urlencode urlparse urlsplit utcnow uuid4 value values values_at version walk weekday width with_suffix with_name words wrap write
writelines writable year zfill zip hashlib fromhex groupdict span readSync platform isoweekday total_seconds to_json pretty_generate generate fetch dig
compact each_char each_slice each_with_object inject file_get_contents json_encode json_decode implode explode array_keys array_values in_array
is_array isset var_dump var_export htmlspecialchars number_format intdiv preg_match preg_split preg_quote nl2br str_repeat fromisoformat isocalendar
most_common total_ordering maketrans removeprefix removesuffix isidentifier rpartition parse_qs urlunparse quote_plus unescape escape dedent indent
shorten get_close_matches unified_diff mean median stdev combinations permutations chain islice cycle accumulate deque OrderedDict namedtuple heappush
heappop nlargest nsmallest lru_cache partial wraps attr sha512 blake2b b32encode stringify assign fromEntries getOwnPropertyNames table timeEnd trunc
sign cbrt hypot log2 log10 PI E Promise Math Map WeakMap Symbol Infinity NaN isFinite exports writeFileSync appendFileSync writeFile write_text
read_text write_bytes read_bytes mkdirSync exist is_file is_dir makedirs touch open
`)

// modules are modules of languages that run nothing, whatever they are given.
var modules = set("json sys os re math datetime time pathlib collections itertools functools string textwrap random hashlib base64 urllib csv statistics decimal fractions calendar uuid difflib html unicodedata typing dataclasses enum argparse glob fnmatch tomllib toml configparser struct copy pprint heapq bisect io locale platform secrets fs path url util os querystring crypto buffer events readline stream zlib strict warnings List POSIX Data JSON set date Time")
