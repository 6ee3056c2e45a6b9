// What tests/run.mjs looks at from outside: the codec of frames and JSON. Input
// is put where room() says, output is read from where result() says.

import { Buffer, Bytes, Json, JsonType, JsonWriter, find } from "../assembly";
import { Frame, Headers, Writer } from "../assembly/record";

let input = new ArrayBuffer(0);
let output = new Bytes();

/** Memory for an input of exactly that size, behind which nothing may be read. */
export function room(size: u32): usize {
  input = new ArrayBuffer(<i32>size);
  return changetype<usize>(input);
}

export function resultPtr(): usize {
  return output.ptr;
}

export function resultSize(): i32 {
  return output.length;
}

/** Decodes a frame and encodes its records again, each with its own time and stream; false if it is refused. */
export function reencode(): bool {
  const frame = new Frame(), writer = new Writer();
  if (!frame.open(changetype<usize>(input), input.byteLength)) return false;
  let more = frame.next();
  for (; more > 0; more = frame.next()) {
    const r = frame.record;
    const headers = r.headers;
    if (headers !== null) {
      // They are made again of their parts.
      const again = new Headers();
      for (let i: i32 = 0; i < <i32>headers.count; i++) again.add(headers.name(i), headers.value(i));
      r.headers = again;
    }
    writer.add(r, r.time, r.index, r.stream);
  }
  writer.end();
  output = Bytes.from(new Buffer().appendRaw(writer.ptr, writer.length).view().copy().toArray().buffer);
  return more == 0;
}

/** Whether the input is JSON; if so, the result is what the writer makes of what the reader reads. */
export function rewrite(): bool {
  const json = new Json().open(Bytes.from(input)), writer = new JsonWriter();
  copyValue(json, writer);
  const read = json.end();
  json.open(Bytes.from(input)).skip();
  assert(read == json.end(), "reading and skipping do not agree on what is JSON");
  output = writer.out.view();
  return read;
}

function copyValue(json: Json, out: JsonWriter): void {
  const text = new Bytes();
  switch (json.next()) {
    case JsonType.String: {
      if (json.string(text)) out.bytes(text);
      break;
    }
    case JsonType.Bool: {
      out.bool(json.bool());
      break;
    }
    case JsonType.Number: {
      if (json.raw(text)) out.raw(text);
      break;
    }
    case JsonType.Object: {
      json.object();
      out.object();
      while (json.member()) {
        out.key(json.key.text());
        copyValue(json, out);
      }
      out.objectEnd();
      break;
    }
    case JsonType.Array: {
      json.array();
      out.array();
      while (json.element()) copyValue(json, out);
      out.arrayEnd();
      break;
    }
    default: {
      out.null();
      json.skip();
    }
  }
}

/** The input is a document, a zero byte and a JSON Pointer; false if there is nothing. */
export function pointed(): bool {
  const all = Bytes.from(input), at = all.indexOf(0);
  const found = find(all.slice(0, at), all.slice(at + 1).text());
  if (found === null) return false;
  output = found.copy();
  return true;
}
