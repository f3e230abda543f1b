package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/term"
)

// A list is a list of items of one kind, with the columns to show.
type list[T any] struct {
	view    string   // the view at whose address the list is
	at      []string // the part of the address in the path, in pairs
	keep    []string // other parts of the address, which searching and sorting keep
	one     string   // the word for one item
	what    string   // the word for several items
	items   []T
	columns []column[T]
	usual   string           // the default order: a column's key, with - for descending
	text    func(T) string   // the text to search
	states  func(T) []string // words for its states, which a search may abbreviate; nil if it has none
	watch   func(T) []string // the paths that a visible item depends on; may be nil
	sorted  bool             // the items are already in the usual order
}

type column[T any] struct {
	key, title string
	number     bool
	cell       func(T) cell
	compare    func(a, b T) int // nil: the list cannot be sorted by it
	fold       bool             // leave the column out if all items have the same value
}

// A cell is a cell of a table.
type cell struct {
	Text  string
	Sub   string // below Text, smaller
	Link  string
	Mark  string // good, bad, warn, dim: a color, which a word in Text always explains
	Title string
	Bar   string   // the length of a bar below, in percent; "" for none
	Draw  *drawing // below, or nil
	Days  []bar    // below, if any

	At      time.Time // shown as a time ago
	Squares []square  // below
	Copy    string    // a command to copy
}

// A drawing has dots and lines on a scale. Positions are in percent.
type drawing struct {
	Label string
	Lines []drawn
	Dots  []drawn
}

type drawn struct{ X, To, Class string }

// A fact is a number above a list.
type fact struct{ Name, Value, Link, Title, Mark string }

// A table is the visible part of a list.
type table struct {
	Action         string // the address without the parts that a form adds
	What, Query    string
	Count          string // the number of items, and of matching items
	Keep           [][2]string
	Heads          []head
	Rows           []row
	Total, Matched int
	First, Last    int
	Previous, Next string // addresses, or ""
	FromStart      bool   // Previous leads to the first page, not to the page before
	Live           bool
	Dense          bool   // each row is one line
	All            string // the address without the search
}

type head struct {
	Title, Link, Order string // Order: ascending, descending, or "" if another column determines the order
	Number             bool
}

type row struct {
	Key   string // stays the same as long as the row is about the same item
	Cells []tableCell
}

type tableCell struct {
	cell
	Head   string
	Number bool
	First  bool
}

const (
	perPage   = 50
	perExport = 1000 // rows of an exported list, which has no next page
)

// table returns the part of the list that the visit requests.
func (l list[T]) table(v *visit) *table {
	t := &table{Action: v.link(l.view, l.at...), What: l.what, Query: strings.TrimSpace(v.query.Get("q")),
		Total: len(l.items), Live: v.live}
	order := l.order(v.query.Get("sort"))
	kept := slices.Clone(l.at)
	for _, k := range l.keep {
		if value := v.query.Get(k); value != "" {
			t.Keep = append(t.Keep, [2]string{k, value})
			kept = append(kept, k, value)
		}
	}
	at := func(q, sort string, page int) string {
		if sort == l.usual {
			sort = ""
		}
		p := ""
		if page > 1 {
			p = strconv.Itoa(page)
		}
		return v.link(l.view, append([]string{"q", q, "sort", sort, "p", p}, kept...)...)
	}
	t.All = at("", order, 1)
	l.columns = slices.DeleteFunc(slices.Clone(l.columns), func(c column[T]) bool {
		return c.fold && len(l.items) > 1 && !slices.ContainsFunc(l.items, func(one T) bool { return c.compare(l.items[0], one) != 0 })
	})
	items := l.search(t.Query)
	t.Matched = len(items)
	if t.Count = counted(t.Total, l.one, l.what); t.Query != "" {
		t.Count = thousands(t.Matched) + " of " + t.Count
	}
	l.sort(items, order)
	for _, c := range l.columns {
		h := head{Title: c.title, Number: c.number}
		if c.compare != nil && v.live {
			next := c.key
			switch order {
			case c.key:
				h.Order, next = "ascending", "-"+c.key
			case "-" + c.key:
				h.Order = "descending"
			default:
				if c.number {
					next = "-" + c.key
				}
			}
			h.Link = at(t.Query, next, 1)
		}
		t.Heads = append(t.Heads, h)
	}
	size := perPage
	if !v.live {
		size = perExport
	}
	page, _ := strconv.Atoi(v.query.Get("p"))
	page = max(1, min(page, (len(items)+size-1)/size))
	from, to := (page-1)*size, min(page*size, len(items))
	t.First, t.Last = from+1, to
	if page > 1 {
		t.Previous = at(t.Query, order, page-1)
	}
	if to < len(items) && v.live {
		t.Next = at(t.Query, order, page+1)
	}
	for _, item := range items[min(from, to):to] {
		if l.watch != nil {
			v.watch(true, l.watch(item)...)
		}
		r := rowOf(item, l.columns)
		r.Key = short(cmp.Or(r.Cells[0].Link, r.Cells[0].Text, r.Cells[0].At.String()))
		t.Rows = append(t.Rows, r)
	}
	return t
}

func rowOf[T any](item T, columns []column[T]) (r row) {
	for i, c := range columns {
		shown := c.cell(item)
		shown.Text, shown.Sub = clip(shown.Text), clip(shown.Sub)
		r.Cells = append(r.Cells, tableCell{shown, c.title, c.number, i == 0})
	}
	return r
}

// maxCell limits the text of a cell, in characters.
const maxCell = 400

// clip returns the beginning of a text that is too long for a list.
func clip(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxCell {
			return text[:i] + "…"
		}
	}
	return text
}

// search returns the items that contain every word.
func (l list[T]) search(query string) []T {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return l.items
	}
	var found []T
	for _, item := range l.items {
		text := strings.ToLower(l.text(item))
		var states []string
		if l.states != nil {
			states = l.states(item)
		}
		missing := func(w string) bool {
			return !strings.Contains(text, w) && !slices.ContainsFunc(states, func(s string) bool { return strings.HasPrefix(s, w) })
		}
		if !slices.ContainsFunc(words, missing) {
			found = append(found, item)
		}
	}
	return found
}

// order returns the requested order, or the usual order if there is no such column.
func (l list[T]) order(asked string) string {
	key := strings.TrimPrefix(asked, "-")
	if slices.ContainsFunc(l.columns, func(c column[T]) bool { return c.key == key && c.compare != nil }) {
		return asked
	}
	return l.usual
}

func (l list[T]) sort(items []T, order string) {
	if order == l.usual && l.sorted {
		return
	}
	key, down := strings.CutPrefix(order, "-")
	for _, c := range l.columns {
		if c.key != key {
			continue
		}
		slices.SortStableFunc(items, func(a, b T) int {
			if down {
				a, b = b, a
			}
			return c.compare(a, b)
		})
	}
}

// by returns a function that compares items by a key.
func by[T any, K cmp.Ordered](key func(T) K) func(a, b T) int {
	return func(a, b T) int { return cmp.Compare(key(a), key(b)) }
}

// nothing is the cell for an unknown value.
var nothing = cell{Text: "–", Mark: "dim"}

func numbered[T any](key, title string, n func(T) int) column[T] {
	return column[T]{key: key, title: title, number: true, fold: true, compare: by(n), cell: func(x T) cell {
		if n(x) == 0 {
			return nothing
		}
		return cell{Text: thousands(n(x))}
	}}
}

func timed[T any](key, title string, at func(T) time.Time) column[T] {
	return column[T]{key: key, title: title, number: true, compare: func(a, b T) int { return at(a).Compare(at(b)) },
		cell: func(x T) cell {
			if at(x).IsZero() {
				return nothing
			}
			return cell{At: at(x)}
		}}
}

func priced[T any](usd func(T) float64) column[T] {
	return column[T]{key: "cost", title: "Cost", number: true, fold: true, compare: by(usd),
		cell: func(x T) cell { return costCell(usd(x)) }}
}

func costCell(usd float64) cell {
	if usd == 0 {
		return nothing
	}
	return cell{Text: term.Dollars(usd)}
}

// tokens estimates the number of tokens in a text. It counts four characters as a token, as Claude
// Code does for its list of skills.
func tokens(text string) int { return (len([]rune(text)) + 3) / 4 }

// thousands formats a number with a comma after each thousand.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + several
}

func bytesOf(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.0f KB", float64(n)/(1<<10))
	}
	return thousands(int(n)) + " B"
}
