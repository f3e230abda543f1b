package redact

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// A secret is a text that must not show up. It has no line end in it, so nothing
// needs to be held back at the end of a line.
type secret struct {
	text     string
	mark     string // what stands for it
	verbatim bool   // it is known only as it is
}

// A doubt says how much a name leaves open: the more, the more a value must look
// like a secret to be taken for one.
type doubt int

const (
	sure    doubt = iota // it names what people or programs think up: API_TOKEN, DB_PASSWORD
	likely               // it may name something ordinary: SORT_KEY, GITHUB_AUTH, TOKEN_OLD
	slight               // it names something about a secret: TOKEN_FILE, AUTH_METHOD
	nothing              // it does not speak of secrets: HOME
)

// sureWords are words for secrets, at the end of a name; in front of more words
// they are likely. Each stands for its plural too, and for words that end in it
// (PGPASSWORD, SSHPASS, AUTHTOKEN).
var sureWords = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "CREDENTIAL", "APIKEY", "ACCESSKEY"}

// ordinaryWords end in PASS, and have nothing to do with one.
var ordinaryWords = []string{"BYPASS", "COMPASS", "ENCOMPASS", "OVERPASS", "SURPASS", "TRESPASS", "UNDERPASS"}

// sureOnly are words for secrets that other words end in as well.
var sureOnly = []string{"PAT", "PW", "PWD", "JWT", "BEARER", "CRED", "AUTHORIZATION"}

// likelyWords are words that may be about a secret.
var likelyWords = []string{"KEY", "AUTH", "DSN", "WEBHOOK", "COOKIE", "SALT", "SIG", "SIGNATURE"}

// beforeKey are words that make a KEY a secret for sure.
var beforeKey = []string{"API", "ACCESS", "SECRET", "PRIVATE", "AUTH", "ENCRYPTION", "SIGNING", "MASTER"}

// aboutWords end the name of something about a secret that is none itself.
var aboutWords = []string{
	"FILE", "PATH", "DIR", "FOLDER", "SOCK", "SOCKET", "HELPER", "STORE", "CMD", "COMMAND", "PROGRAM", "NAME", "USER", "USERNAME", "EMAIL",
	"TYPE", "METHOD", "MODE", "FORMAT", "ALGORITHM", "ALG", "PROVIDER", "BACKEND", "HOST", "PORT", "REGION", "SCOPE", "ISSUER", "VERSION",
	"ENABLED", "LENGTH", "SIZE", "TIMEOUT", "TTL", "EXPIRY", "MAX", "MIN", "LIMIT", "COUNT", "URL", "URI", "ENDPOINT",
}

func secretsOf(env []string) []secret {
	var all []secret
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if name == "PWD" || name == "OLDPWD" {
			continue
		}
		h := hunt{name: name}
		h.value(name, strings.TrimSpace(value), 0)
		all = append(all, h.found...)
	}
	return all
}

// A hunt looks for secrets in the value of one variable.
type hunt struct {
	name  string
	found []secret
}

// maxSecret is how long a secret may be: a longer one is cut into several, so that
// little is held back while a text is written.
const maxSecret = 4 << 10

func (h *hunt) add(text string) {
	if strings.ContainsAny(text, "\r\n") {
		return // its lines are looked at by themselves
	}
	for len(text) > 2*maxSecret {
		h.found = append(h.found, secret{text: text[:maxSecret], mark: h.mark()})
		text = text[maxSecret:]
	}
	if half := len(text) / 2; len(text) > maxSecret {
		h.found = append(h.found, secret{text: text[:half], mark: h.mark()})
		text = text[half:]
	}
	h.found = append(h.found, secret{text: text, mark: h.mark()})
}

func (h *hunt) mark() string { return "[" + h.name + " redacted]" }

// maxNesting bounds documents in documents.
const maxNesting = 100

// value looks at what has a name: a variable, a member of a document, or a
// pair such as password=x within another value.
func (h *hunt) value(name, value string, depth int) {
	if len(value) < shortest || depth > maxNesting {
		return
	}
	d := doubtOf(name)
	if h.document(d, value, depth) {
		return
	}
	h.addresses(name, d, value)
	h.pairs(value, depth)
	if strings.Contains(value, "PRIVATE KEY-----") {
		d = sure
		value = strings.ReplaceAll(value, `\n`, "\n")
	}
	if d == nothing || isAddress(value) {
		return
	}
	if isSecret(value, d) {
		h.add(value) // if it is one line
	}
	h.parts(value, d)
}

// parts looks at the lines of a key, and at the members of a list.
func (h *hunt) parts(value string, d doubt) {
	lines := strings.Split(value, "\n")
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if len(lines) > 1 && isSecret(line, d) {
			h.add(line)
		}
		parts := strings.FieldsFunc(line, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(",;:|=\"'", c) })
		for _, part := range parts {
			if part != value && isSecret(part, d) {
				h.add(part)
			}
		}
		// user:password@tcp(host)/database, which is no address by its form
		if userinfo, _, ok := strings.Cut(line, "@"); ok {
			if _, password, ok := strings.Cut(userinfo, ":"); ok && isSecret(password, sure) {
				h.add(password)
			}
		}
	}
}

// document looks into a JSON document, and reports whether it is one.
func (h *hunt) document(d doubt, value string, depth int) bool {
	if value[0] != '{' && value[0] != '[' {
		return false
	}
	var doc any
	if json.Unmarshal([]byte(value), &doc) != nil {
		return false
	}
	if d < slight {
		h.add(value)
	}
	h.members("", d, doc, depth+1)
	return true
}

// members looks at a value of a document. What is in a document of secrets and
// looks random is one, unless its name says that it only tells things apart.
func (h *hunt) members(name string, d doubt, doc any, depth int) {
	if depth > maxNesting {
		return
	}
	switch v := doc.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(keysOf(v)) {
			h.members(key, d, v[key], depth+1)
		}
	case []any:
		for _, item := range v {
			h.members(name, d, item, depth+1)
		}
	case string:
		h.value(name, v, depth)
		words := wordsOf(name)
		isID := len(words) > 0 && words[len(words)-1] == "ID"
		if d < nothing && !isID && !isAddress(v) && isSecret(v, slight) {
			h.add(v)
		}
		if d < slight && name == "" && isSecret(v, d) {
			h.add(v)
		}
	}
}

func keysOf(m map[string]any) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// pairs looks at what is written as name=value within a value: the query of an
// address, a connection string, options of a program.
func (h *hunt) pairs(value string, depth int) {
	if !strings.Contains(value, "=") {
		return
	}
	for _, pair := range strings.FieldsFunc(value, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(";&?,\"'#", c) }) {
		name, v, ok := strings.Cut(pair, "=")
		if !ok || len(v) < shortest || doubtOf(name) >= slight {
			continue
		}
		if plain, err := url.QueryUnescape(v); err == nil && plain != v {
			h.value(name, plain, depth+1)
		}
		if isSecret(v, doubtOf(name)) && !isAddress(v) {
			h.add(v)
		}
	}
}

// addresses looks at the addresses in a value: the password in one is a secret
// whatever the variable is called.
func (h *hunt) addresses(name string, d doubt, value string) {
	rest := value
	for {
		scheme, after, ok := strings.Cut(rest, "://")
		if !ok {
			return
		}
		rest = after
		address := after[:min(len(after), maxSecret)]
		if end := strings.IndexFunc(address, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("\"'<>", c) }); end >= 0 {
			address = address[:end]
		}
		h.userinfo(userinfo(scheme, address), d)
		if d < nothing {
			h.path(name, value, address)
		}
	}
}

// userinfo returns what is before the @ of an address. Passwords are not always
// escaped as they should be: outside the web, they may have a slash in them.
func userinfo(scheme, address string) string {
	authority := address
	if end := strings.IndexAny(address, "/?#"); end >= 0 {
		authority = address[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		return authority[:at]
	}
	if scheme = strings.ToLower(scheme); strings.HasSuffix(scheme, "http") || strings.HasSuffix(scheme, "https") {
		return ""
	}
	before, _, _ := strings.Cut(address, "?")
	if at := strings.LastIndexByte(before, '@'); at >= 0 {
		return before[:at]
	}
	return ""
}

func (h *hunt) userinfo(info string, d doubt) {
	user, password, _ := strings.Cut(info, ":")
	// https://KEY@host, as in a Sentry DSN, or https://TOKEN:x-oauth-basic@github.com
	secretUser := isSecret(user, min(max(d, likely), slight))
	if secretUser {
		h.add(user)
	}
	plain, err := url.PathUnescape(password)
	if err != nil {
		plain = password
	}
	switch {
	case password == "":
	case isSecret(plain, sure):
		h.add(password)
		h.add(plain)
	case !secretUser:
		// An ordinary word as a password is hidden only where it is one.
		h.found = append(h.found, secret{"//" + info + "@", "//" + user + ":" + h.mark() + "@", true})
	}
}

// path looks at the path of an address in a variable for secrets: in that of a
// webhook all of it is one.
func (h *hunt) path(name, value, address string) {
	slash := strings.IndexByte(address, '/')
	if slash < 0 {
		return
	}
	path := address[slash:]
	hook := slices.Contains(wordsOf(name), "WEBHOOK") || slices.Contains(wordsOf(name), "WEBHOOKS")
	if hook && len(path) >= 12 {
		h.add(path)
		if isAddress(value) {
			h.add(value)
		}
	}
	for _, segment := range strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune("/?#&=,;", c) }) {
		if isSecret(segment, slight) || hook && len(segment) >= 16 && isSecret(segment, likely) {
			h.add(segment)
		}
	}
}

// isAddress reports whether a value is an address and nothing else.
func isAddress(value string) bool {
	scheme, rest, ok := strings.Cut(value, "://")
	if !ok || scheme == "" || rest == "" || strings.ContainsFunc(value, unicode.IsSpace) {
		return false
	}
	return !strings.ContainsFunc(scheme, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("+.-", c))
	})
}

// doubtOf says what a name tells of its value.
func doubtOf(name string) doubt {
	words := wordsOf(name)
	for len(words) > 1 && strings.Trim(words[len(words)-1], "0123456789") == "" {
		words = words[:len(words)-1] // API_TOKEN_2
	}
	if len(words) == 0 {
		return nothing
	}
	d := nothing
	for i, word := range words {
		last := i == len(words)-1
		switch of := wordDoubt(word, words[:i]); {
		case of == nothing:
		case last:
			d = min(d, of)
		default:
			d = min(d, likely)
		}
	}
	if last := words[len(words)-1]; d < nothing && slices.Contains(aboutWords, singular(last)) {
		return slight
	}
	return d
}

func wordDoubt(word string, before []string) doubt {
	word = singular(word)
	switch {
	case slices.Contains(ordinaryWords, word):
	case slices.ContainsFunc(sureWords, func(w string) bool { return strings.HasSuffix(word, w) }), slices.Contains(sureOnly, word):
		return sure
	case word == "KEY" && len(before) > 0 && slices.Contains(beforeKey, before[len(before)-1]):
		return sure
	case slices.Contains(likelyWords, word):
		return likely
	}
	return nothing
}

// singular takes the S of the plural off. Of PASS it is none.
func singular(word string) string {
	if strings.HasSuffix(word, "SS") {
		return word
	}
	return strings.TrimSuffix(word, "S")
}

// wordsOf cuts a name into words: API_TOKEN, clientSecret, npm_config_//host/:_authToken.
func wordsOf(name string) (words []string) {
	start, before := 0, rune(0)
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToUpper(name[start:end]))
		}
	}
	for i, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			flush(i)
			start = i + 1
			if c > unicode.MaxASCII {
				start = i + len(string(c))
			}
		case unicode.IsUpper(c) && unicode.IsLower(before):
			flush(i)
			start = i
		}
		before = c
	}
	flush(len(name))
	return words
}

// How long a value must be.
const (
	shortest   = 6  // with characters of three kinds; also of anything that is looked at
	short      = 8  // if it is no plain word or number
	long       = 16 // if it is letters or plain words alone; and where there is doubt
	longNumber = 12
)

// isSecret reports whether a value is long or random enough to be a secret, given
// what its name leaves open.
func isSecret(value string, d doubt) bool {
	if len(value) < shortest || isPath(value) || strings.HasPrefix(value, "-----") || strings.HasSuffix(value, "-----") {
		return false // too short, a place, or the first or last line of a key
	}
	switch d {
	case sure:
		return len(value) >= short && !isPlain(value) || kinds(value) >= 3
	case likely:
		return len(value) >= short && !isPlainWords(value) || len(value) >= long && !isPlain(value)
	case slight:
		return len(value) >= long && changes(value) >= 4 && !strings.ContainsFunc(value, unicode.IsSpace)
	}
	return false
}

// isPlain reports whether a value is one word or one number, as others are.
func isPlain(value string) bool {
	if strings.Trim(value, "0123456789") == "" {
		return len(value) < longNumber
	}
	lower := strings.ToLower(value)
	if value != lower && value != strings.ToUpper(value) && value[1:] != lower[1:] {
		return false // it changes between upper and lower case
	}
	return len(value) < long && !strings.ContainsFunc(value, func(c rune) bool { return !unicode.IsLetter(c) })
}

// isPlainWords reports whether a value is plain words and short numbers, joined:
// created_at, us-east-1, oauth2.
func isPlainWords(value string) bool {
	for _, word := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune("-_./: ", c) }) {
		letters := strings.TrimRight(word, "0123456789")
		if len(word)-len(letters) >= shortest || letters != "" && !isPlain(letters) {
			return false
		}
	}
	return true
}

// isPath reports whether a value names a file. Some random ones begin as a path does.
func isPath(value string) bool {
	at := strings.IndexAny(value, `/\`)
	if at < 0 || at > 2 || strings.Trim(value[:at], ".~") != "" && !strings.HasSuffix(value[:at], ":") {
		return false
	}
	segments := strings.FieldsFunc(value[at:], func(c rune) bool { return c == '/' || c == '\\' })
	plain := 0
	for _, s := range segments {
		if isPlainWords(s) {
			plain++
		}
	}
	return plain*2 >= len(segments)
}

// kinds counts which of small letters, capitals, digits and other characters are in a value.
func kinds(value string) int {
	var found [4]int
	for _, c := range value {
		found[kind(c)] = 1
	}
	return found[0] + found[1] + found[2] + found[3]
}

func kind(c rune) int {
	switch {
	case unicode.IsUpper(c):
		return 1
	case unicode.IsLetter(c):
		return 0
	case unicode.IsDigit(c):
		return 2
	}
	return 3
}

// changes counts how often a value goes from letters to digits, from digits to
// letters, or from small letters to capitals: words and paths hardly ever do.
func changes(value string) (n int) {
	before := 3
	for _, c := range value {
		k := kind(c)
		if k != before && k != 3 && before != 3 && !(before == 1 && k == 0) {
			n++
		}
		before = k
	}
	return n
}
