package compile

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// A request is magic, a document and the module; an answer is magic and a
// document. A document is JSON behind its length as a little-endian u32.
const (
	magic       = "wasmill compile 1\n"
	maxDocument = 64 << 10
)

// request asks for one module to be compiled. The bytes of the module follow.
type request struct {
	Config
	Dir    string `json:"dir"`    // where to put the entry
	CPU    uint64 `json:"cpu"`    // seconds of CPU time, of all threads
	Memory uint64 `json:"memory"` // bytes
	Size   int64  `json:"size"`   // of the module
	SHA256 string `json:"sha256"` // of the module, hex digits
}

// answer says what has become of a request.
type answer struct {
	Entry  entry  `json:"entry"`
	Module string `json:"module,omitempty"` // what is wrong with the module
	Host   string `json:"host,omitempty"`   // what else is wrong
}

// write writes magic and a document.
func write(w io.Writer, doc any) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint32([]byte(magic), uint32(len(text)))
	_, err = w.Write(append(head, text...))
	return err
}

// read reads magic and a document.
func read(r io.Reader, doc any) error {
	head := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(head[len(magic):])
	if string(head[:len(magic)]) != magic || n > maxDocument {
		return fmt.Errorf("it begins with %q", head)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return err
	}
	return json.Unmarshal(text, doc)
}
