package quickjs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wasmill/wasmill/host/guest/quickjs"
)

func TestEngine_HasItsDigest(t *testing.T) {
	sum := sha256.Sum256(quickjs.Engine())
	if got := "sha256:" + hex.EncodeToString(sum[:]); got != quickjs.Digest() {
		t.Errorf("the engine has the digest %s, digest.txt says %s: run build.sh", got, quickjs.Digest())
	}
	if !strings.Contains(quickjs.License, "Permission is hereby granted") {
		t.Error("the licence is gone")
	}
}

// TestEngine_BuildsToTheSameBytes: what is in the repository is what the
// recipe makes of the source beside it.
func TestEngine_BuildsToTheSameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds QuickJS, half a minute")
	}
	out := filepath.Join(t.TempDir(), "engine.wasm")
	if text, err := exec.Command("./build.sh", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	built, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(built, quickjs.Engine()) {
		t.Errorf("building gives %d other bytes: run build.sh and commit what it writes", len(built))
	}
}
