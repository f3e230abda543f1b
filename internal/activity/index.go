package activity

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
)

// A reader reads the transcripts of one agent.
type reader struct {
	agent string                                   // package agents has the place of its transcripts
	begin func(t *tally, path string)              // called before the first line; may be nil
	line  func(t *tally, line record) (known bool) // reads a line; known reports whether its kind is known
}

// root returns the folder that holds the transcripts.
func (r *reader) root(h here.Here) string {
	at := agents.Get(r.agent).Transcripts
	dir := filepath.Join(h.Home, at.Home)
	if at.Variable != "" {
		dir = cmp.Or(h.Env.Get(at.Variable), dir)
	}
	return filepath.Join(dir, at.Below)
}

// wants reports whether a file is a transcript, by its name.
func (r *reader) wants(path string) bool {
	files := agents.Get(r.agent).Transcripts.Files
	dir, name := filepath.Split(path)
	if strings.Contains(files, "/") {
		name = filepath.Base(dir) + "/" + name
	}
	ok, _ := filepath.Match(files, name) // the pattern is valid
	return ok
}

var readers = [...]*reader{&claudeReader, &codexReader, &copilotReader, &geminiReader, &piReader, &qwenReader}

// Agents returns the names of the agents whose transcripts skillhand can read.
func Agents() []string {
	var names []string
	for _, r := range readers {
		names = append(names, r.agent)
	}
	return names
}

const (
	indexVersion = 6
	bufferSize   = 1 << 20   // most lines fit
	maxLine      = 16 << 20  // a line that is still longer without its long strings is skipped
	maxText      = 256 << 10 // of a string in a line that does not fit the buffer; no string of interest is longer
	headSize     = 256       // of a file; identifies the file
)

// A shard is the index of one folder of transcripts: names, counts and times, and the offset up to
// which each file was read. It can be rebuilt from the transcripts as long as the agent keeps them.
type shard struct {
	Version int
	Files   map[string]*indexed // by path below the folder
	Lists   map[string][]Listed
}

// An indexed is the index of one file, read up to an offset.
type indexed struct {
	Size    int64
	Changed int64 // modification time, Unix nanoseconds
	Offset  int64
	Head    uint64
	Damaged int // unreadable lines
	Tally   *tally
	State   jsontext.Value // the tally's state; not decoded for an unchanged file
}

// A folder is a folder of transcripts with its shard.
type folder struct {
	reader *reader
	dir    string
	file   string // the shard's file
	shard  shard
	dirty  bool
}

func folders(h here.Here, agent string) (all []*folder, err error) {
	for _, r := range readers {
		if agent != "" && r.agent != agent {
			continue
		}
		entries, err := os.ReadDir(r.root(h))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() {
				all = append(all, newFolder(h, r, filepath.Join(r.root(h), e.Name())))
			}
		}
	}
	return all, nil
}

// Folders returns the folders whose changes show that an agent was active. They are the roots of
// all transcripts, the folders with transcripts that changed since the given time, and the folders
// in between.
func Folders(h here.Here, since time.Time) (all []string) {
	for _, r := range readers {
		root := r.root(h)
		all = append(all, root)
		seen := map[string]bool{root: true}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // Read reports unreadable folders
			if err != nil || !d.Type().IsRegular() || !r.wants(path) {
				return nil
			}
			if info, err := d.Info(); err != nil || info.ModTime().Before(since) {
				return nil
			}
			for dir := filepath.Dir(path); !seen[dir]; dir = filepath.Dir(dir) {
				seen[dir] = true
				all = append(all, dir)
			}
			return nil
		})
	}
	return all
}

func newFolder(h here.Here, r *reader, dir string) *folder {
	return &folder{reader: r, dir: dir, file: shardFile(h, r.agent, dir)}
}

// shardFile returns the path of a folder's shard.
func shardFile(h here.Here, agent, dir string) string {
	return filepath.Join(Dir(h), agent+"-"+strconv.FormatUint(hashOf([]byte(dir)), 36)+".index")
}

// Dir returns the folder of the index.
func Dir(h here.Here) string { return filepath.Join(h.State, "usage") }

// load reads the shard. It starts an empty shard if the file is missing, damaged or of another
// version.
func (f *folder) load() {
	data, err := os.ReadFile(f.file)
	if err != nil || json.Unmarshal(data, &f.shard) != nil || f.shard.Version != indexVersion {
		f.shard = shard{}
	}
	f.shard.Version = indexVersion
	maps.DeleteFunc(f.shard.Files, func(_ string, e *indexed) bool { return e == nil || e.Tally == nil })
	if f.shard.Files == nil {
		f.shard.Files = map[string]*indexed{}
	}
	if f.shard.Lists == nil {
		f.shard.Lists = map[string][]Listed{}
	}
}

// A job is a file with new content.
type job struct {
	folder *folder
	name   string
	entry  *indexed
	info   fs.FileInfo
	record record // the last line's record, whose memory the next line reuses
	read   int64
	err    error
}

// jobs returns the files that changed since the last read.
func (f *folder) jobs() (all []*job, err error) {
	err = filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if !d.Type().IsRegular() || !f.reader.wants(path) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // it does not exist any more
		}
		name, err := filepath.Rel(f.dir, path)
		if err != nil {
			return err
		}
		old := f.shard.Files[name]
		if old == nil || old.Size != info.Size() || old.Changed != info.ModTime().UnixNano() {
			all = append(all, &job{folder: f, name: name, entry: old, info: info})
		}
		return nil
	})
	return all, err
}

// loadAll reads the shards, several at a time.
func loadAll(all []*folder) {
	var group sync.WaitGroup
	for part := range slices.Chunk(all, len(all)/runtime.GOMAXPROCS(0)+1) {
		group.Go(func() {
			for _, f := range part {
				f.load()
			}
		})
	}
	group.Wait()
}

// refresh reads the new parts of all folders, several files at a time. It returns the number of new
// bytes.
func refresh(all []*folder) (read int64, faults []error) {
	var todo []*job
	loadAll(all)
	for _, f := range all {
		jobs, err := f.jobs()
		if err != nil {
			faults = append(faults, err)
		}
		todo = append(todo, jobs...)
	}
	// Start with the largest, so that no worker has a large file alone at the end.
	slices.SortFunc(todo, func(a, b *job) int { return cmp.Compare(b.info.Size(), a.info.Size()) })
	next := make(chan *job)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, len(todo)) {
		workers.Go(func() {
			buf := bufio.NewReaderSize(nil, bufferSize)
			for j := range next {
				j.run(buf)
			}
		})
	}
	for _, j := range todo {
		next <- j
	}
	close(next)
	workers.Wait()
	for _, j := range todo {
		read += j.read
		if j.err != nil {
			faults = append(faults, j.err)
			continue
		}
		j.folder.shard.Files[j.name] = j.entry
		maps.Copy(j.folder.shard.Lists, j.entry.Tally.lists)
		j.folder.dirty = true
	}
	return read, faults
}

// save writes the changed shards. Nothing depends on the index, so the caller only reports an
// error, such as a state folder that is not writable.
func save(all []*folder) error {
	for _, f := range all {
		if !f.dirty {
			continue
		}
		if err := files.MakeState(filepath.Dir(f.file)); err != nil {
			return err
		}
		data, err := json.Marshal(f.shard)
		if err == nil {
			err = files.Write(f.file, data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run reads the part of a file that is new since the last read. If the file was replaced, it reads
// all of it.
func (j *job) run(buf *bufio.Reader) {
	path := filepath.Join(j.folder.dir, j.name)
	file, err := os.Open(path)
	if err != nil {
		j.err = err
		return
	}
	defer file.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		j.err = err
		return
	}
	e := j.entry
	if e == nil || j.info.Size() < e.Offset || e.Head != hashOf(head[:min(int64(n), e.Offset)]) ||
		json.Unmarshal(e.State, &e.Tally.state) != nil {
		e = &indexed{Tally: &tally{Agent: j.folder.reader.agent}}
		if j.folder.reader.begin != nil {
			j.folder.reader.begin(e.Tally, path)
		}
	}
	if _, err := file.Seek(e.Offset, io.SeekStart); err != nil {
		j.err = fmt.Errorf("%s: %w", path, err)
		return
	}
	buf.Reset(file)
	if err := j.lines(buf, e); err != nil {
		j.err = fmt.Errorf("%s: %w", path, err)
		return
	}
	e.Size, e.Changed, e.Head = j.info.Size(), j.info.ModTime().UnixNano(), hashOf(head[:min(int64(n), e.Offset)])
	if e.State, err = json.Marshal(e.Tally.state); err != nil {
		j.err = err
		return
	}
	e.Tally.state, e.Tally.side = state{}, nil
	j.entry = e
}

func hashOf(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// lines reads whole lines. An incomplete last line remains for the next read.
func (j *job) lines(buf *bufio.Reader, e *indexed) error {
	var long squeezer // the current line, if it does not fit the buffer
	var length int64
	for {
		line, err := buf.ReadSlice('\n')
		j.read += int64(len(line))
		length += int64(len(line))
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long.add(line)
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if length > int64(len(line)) {
			long.add(line)
			line = long.line
		}
		e.Tally.line = e.Offset
		e.Offset += length
		if len(line) <= maxLine {
			j.take(e, line)
		} else {
			e.Damaged++
		}
		long, length = squeezer{}, 0
	}
}

// A squeezer shortens the strings of a long line while reading it, so that an image or a file in
// the line does not fill the memory.
type squeezer struct {
	line    []byte
	inside  bool // within a string
	escaped bool
	cut     bool // the rest of the string is dropped
	length  int  // of the string so far
	plain   int  // how many of its last characters follow the last backslash
}

func (s *squeezer) add(part []byte) {
	for _, c := range part {
		switch {
		case len(s.line) > maxLine:
			return
		case !s.inside:
			s.inside, s.cut, s.length, s.plain = c == '"', false, 0, 0
		case s.escaped:
			s.escaped = false
		case c == '"':
			s.inside, s.cut = false, false
		case c == '\\':
			s.escaped, s.plain = true, 0
		}
		if !s.cut {
			s.line = append(s.line, c)
		}
		s.length++
		s.plain++
		s.cut = s.inside && (s.cut || s.length > maxText && s.plain > len(`\u0000`))
	}
}

func (j *job) take(e *indexed, line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	var whole bool
	if j.record, whole = readRecord(line, j.record); whole {
		when, _ := time.Parse(time.RFC3339, j.record.get("timestamp").str())
		e.Tally.begin(when, j.record.get("uuid").str())
		known := j.folder.reader.line(e.Tally, j.record)
		e.Tally.Known = e.Tally.Known || known
	} else {
		e.Damaged++
	}
	if !e.Tally.Known && e.Tally.Version == "" {
		e.Tally.Version = versionOf(line)
	}
}

// versionOf returns the version in a line of an unknown format, or "".
func versionOf(line value) string {
	for _, path := range [][]string{{"version"}, {"cli_version"}, {"payload", "cli_version"}, {"data", "version"}, {"schemaVersion"}} {
		switch v := line.get(path...); {
		case v.str() != "":
			return v.str()
		case v.float() > 0:
			return string(v)
		}
	}
	return ""
}

// strange reports whether a file has lines but none that its reader knows.
func (e *indexed) strange() bool { return e.Offset > 0 && !e.Tally.Known }
