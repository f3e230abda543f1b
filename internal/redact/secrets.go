package redact

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// A secret is a string that must not show up. It contains no line end, so a Writer holds nothing
// back at the end of a line.
type secret struct {
	text     string
	mark     string // what replaces it
	verbatim bool   // only this exact spelling is replaced
}

// A doubt says how unsure it is that a name means a secret. The greater the doubt, the more a value
// must look like a secret.
type doubt int

const (
	sure    doubt = iota // the name means a secret that people or programs think up: API_TOKEN, DB_PASSWORD
	likely               // the name may mean something ordinary: SORT_KEY, GITHUB_AUTH, TOKEN_OLD
	slight               // the name means something about a secret: TOKEN_FILE, AUTH_METHOD
	nothing              // the name does not mention secrets: HOME
)

// sureWords are words for secrets, at the end of a name. Before other words they are only likely.
// Each also stands for its plural and for words that end in it (PGPASSWORD, SSHPASS, AUTHTOKEN).
var sureWords = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "CREDENTIAL", "APIKEY", "ACCESSKEY"}

// ordinaryWords end in PASS but do not mean a password.
var ordinaryWords = []string{"BYPASS", "COMPASS", "ENCOMPASS", "OVERPASS", "SURPASS", "TRESPASS", "UNDERPASS"}

// sureOnly are words for secrets that ordinary words also end in, so only the whole word counts.
var sureOnly = []string{"PAT", "PW", "PWD", "JWT", "BEARER", "CRED", "AUTHORIZATION"}

// likelyWords are words that may mean a secret.
var likelyWords = []string{"KEY", "AUTH", "DSN", "WEBHOOK", "COOKIE", "SALT", "SIG", "SIGNATURE"}

// beforeKey are words that make a following KEY a sure word.
var beforeKey = []string{"API", "ACCESS", "SECRET", "PRIVATE", "AUTH", "ENCRYPTION", "SIGNING", "MASTER"}

// aboutWords end a name that means something about a secret, not the secret itself.
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

// maxSecret limits the length of a secret. A longer one is cut into several, so that a Writer holds
// little back.
const maxSecret = 4 << 10

func (h *hunt) add(text string) {
	if strings.ContainsAny(text, "\r\n") {
		return // parts adds its lines
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

// maxNesting limits the depth of documents within documents.
const maxNesting = 100

// value searches a value that has a name: a variable, a member of a document, or a pair such as
// password=x within another value.
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
		h.add(value) // add ignores it if it has several lines
	}
	h.parts(value, d)
}

// parts searches the lines of a key, and the members of a list.
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
		// user:password@tcp(host)/database does not have the form of an address.
		if userinfo, _, ok := strings.Cut(line, "@"); ok {
			if _, password, ok := strings.Cut(userinfo, ":"); ok && isSecret(password, sure) {
				h.add(password)
			}
		}
	}
}

// document searches a JSON document, and reports whether value is one.
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

// members searches a value of a document. In a document of secrets every string that looks random
// is a secret, unless its name ends in ID.
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

// pairs searches each name=value within a value: the query of an address, a connection string, the
// options of a program.
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

// addresses searches the addresses in a value. The password in an address is a secret, whatever the
// name of the variable.
func (h *hunt) addresses(name string, d doubt, value string) {
	rest := value
	for {
		scheme, after, ok := strings.Cut(rest, "://")
		if !ok {
			return
		}
		rest = after
		address := after[:min(len(after), maxSecret)]
		if end := strings.IndexFunc(address,
			func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune("\"'<>", c) }); end >= 0 {
			address = address[:end]
		}
		h.userinfo(userinfo(scheme, address), d)
		if d < nothing {
			h.path(name, value, address)
		}
	}
}

// userinfo returns the part of an address before the @. Passwords are not always escaped as they
// should be: outside the web, they may contain a slash.
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
		// An ordinary word as a password is replaced only within this address.
		h.found = append(h.found, secret{"//" + info + "@", "//" + user + ":" + h.mark() + "@", true})
	}
}

// path searches the path of an address in a variable. The whole path of a webhook is a secret.
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

// doubtOf returns how unsure it is that a name means a secret.
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

// singular removes the S of a plural. The last S of PASS is not a plural.
func singular(word string) string {
	if strings.HasSuffix(word, "SS") {
		return word
	}
	return strings.TrimSuffix(word, "S")
}

// wordsOf splits a name into words: API_TOKEN, clientSecret, npm_config_//host/:_authToken.
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

// The least lengths of a secret.
const (
	shortest   = 6  // with characters of three kinds; shorter values are not searched
	short      = 8  // if it is not a plain word or number
	long       = 16 // if it is only letters or plain words, or the name leaves doubt
	longNumber = 12
)

// isSecret reports whether a value is long or random enough to be a secret, for the doubt that its
// name leaves.
func isSecret(value string, d doubt) bool {
	if len(value) < shortest || isPath(value) || strings.HasPrefix(value, "-----") || strings.HasSuffix(value, "-----") {
		return false // too short, a path, or the first or last line of a key
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

// isPlain reports whether a value is one ordinary word or one short number.
func isPlain(value string) bool {
	if strings.Trim(value, "0123456789") == "" {
		return len(value) < longNumber
	}
	lower := strings.ToLower(value)
	if value != lower && value != strings.ToUpper(value) && value[1:] != lower[1:] {
		return false // it mixes upper and lower case
	}
	return len(value) < long && !strings.ContainsFunc(value, func(c rune) bool { return !unicode.IsLetter(c) })
}

// isPlainWords reports whether a value consists of plain words and short numbers: created_at,
// us-east-1, oauth2.
func isPlainWords(value string) bool {
	for _, word := range strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune("-_./: ", c) }) {
		letters := strings.TrimRight(word, "0123456789")
		if len(word)-len(letters) >= shortest || letters != "" && !isPlain(letters) {
			return false
		}
	}
	return true
}

// isPath reports whether a value names a file. Half of the segments must be plain words, because
// some random values begin like a path.
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

// kinds counts how many of these are in a value: lowercase letters, capitals, digits, others.
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

// changes counts how often a value goes from letters to digits, from digits to letters, or from
// lowercase letters to capitals. Words and paths hardly ever do.
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
