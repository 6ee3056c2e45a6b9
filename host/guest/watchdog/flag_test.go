package watchdog_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/wasmill/wasmill/host/guest/watchdog"
)

func TestFlagOf_FindsTheWord(t *testing.T) {
	l := newLoop(t, newRuntime(t, wazero.NewRuntimeConfig()))
	g, other := global(l.mod, "flag"), global(l.mod, "a")
	if g.Get() != 0 || other.Get() != 7 {
		t.Errorf("the globals are %d and %d, want 0 and 7 as before", g.Get(), other.Get())
	}
	atomic.StoreUint64(l.flag, 5)
	if g.Get() != 5 {
		t.Errorf("5 was stored, the global is %d", g.Get())
	}
	g.Set(6)
	if v := atomic.LoadUint64(l.flag); v != 6 {
		t.Errorf("the global was set to 6, the word is %d", v)
	}
	if other.Get() != 7 {
		t.Errorf("another global became %d", other.Get())
	}
	word, err := watchdog.FlagOf(other)
	if err != nil || *word != 7 || word == l.flag {
		t.Errorf("word %p, error %v: want another word that holds 7", word, err)
	}
}

func TestFlagOf_RefusesTheInterpreter(t *testing.T) {
	r := newRuntime(t, wazero.NewRuntimeConfigInterpreter())
	mod, err := r.Instantiate(t.Context(), looping)
	if err != nil {
		t.Fatal(err)
	}
	g := global(mod, "a")
	if _, err := watchdog.FlagOf(g); err == nil || !strings.Contains(err.Error(), "wazero's compiler") {
		t.Errorf("error %v", err)
	}
	if g.Get() != 7 {
		t.Errorf("the global is %d, want 7 as before", g.Get())
	}
}
