package marshal

import "github.com/wasmill/wasmill/abi"

// Effects are what a call returned. All of it is good until the next call of
// the Decoder that gave it, and as long as the content that it was given.
type Effects struct {
	Want   Want    // how records are handed over from now on
	Frame  []byte  // the records that were emitted, as a frame; empty if there are none
	Fails  []Fail  // records that are rejected, those whose output cannot be encoded too
	Writes []Write // to stores, in order: they come before anything else

	// Refused says that the call is refused as a whole, and Reason why: EINVAL
	// if what was emitted for the batch as a whole cannot be encoded, E2BIG if
	// the frame would be longer than EmitLimit, or there are more rejections and
	// writes than a call may return. Then there is nothing else.
	Refused abi.Errno
	Reason  string
}

// Fail rejects one record.
type Fail struct {
	Index uint32 // of the record in its batch: not checked
	Code  int32
	Text  []byte // UTF-8, in which surrogates may stand alone
}

// Write puts or deletes one entry of a store.
type Write struct {
	Store  uint32 // not checked
	Key    []byte // never nil
	Value  []byte // nil only with Delete
	Delete bool
}

// codePanic is the code of what the guest's code did not reject on purpose.
const codePanic = -1
