package realpostgres

import (
	"os"
	"testing"
)

func TestServer(t *testing.T) {
	t.Parallel()
	var dir string
	t.Run("run", func(t *testing.T) {
		s := New(t)
		dir = s.dir
		db := s.Database(t)
		if again := s.Database(t); again == db {
			t.Errorf("two databases are %s", db)
		}
		s.Stop(t, "immediate")
		if err := s.sql("postgres", "SELECT 1"); err == nil {
			t.Error("it answers after its end")
		}
		s.Start(t)
		if err := s.sql("test1", "SELECT 1"); err != nil {
			t.Error(err)
		}
	})
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", dir, err)
	}
}
