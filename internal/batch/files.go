package batch

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
)

// MaxFile is the largest size of a file that jobs share.
const MaxFile = 64 << 20

// Put stores a file that many jobs need and that is too large for the payload of each. It returns a
// hash of the content as the file's name, so the same file is stored only once.
func (db *DB) Put(ctx context.Context, data []byte) (name string, err error) {
	if len(data) > MaxFile {
		return "", fmt.Errorf("a file of %d bytes, want at most %d", len(data), MaxFile)
	}
	sum := sha256.Sum256(data)
	name = hex.EncodeToString(sum[:])
	_, err = db.exec(ctx, `INSERT INTO batch_file (name, data) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
		name, base64.StdEncoding.EncodeToString(data))
	return name, err
}

// Get returns a file that Put stored.
func (db *DB) Get(ctx context.Context, name string) ([]byte, error) {
	found, err := read(ctx, db, scanString, `SELECT data FROM batch_file WHERE name = $1`, name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoFile)
	}
	data, err := base64.StdEncoding.DecodeString(found[0])
	if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("%s: not the file that was put into the database", name)
	}
	return data, nil
}
