import { Bytes, Context, Json, JsonWriter, Record } from "../../../../sdk-as/assembly";

const reader = new Json();
const writer = new JsonWriter();
const user = new Bytes();
const out = new Record();

export function json(value: Bytes, cx: Context): void {
  let n: i64 = 0, hasUser = false, hasN = false;
  const object = reader.open(value).object();
  while (object && reader.member()) {
    if (reader.key.is("user")) {
      hasUser = reader.string(user);
    } else if (reader.key.is("n")) {
      n = reader.int();
      hasN = reader.ok;
    } else {
      reader.skip();
    }
  }
  if (!object || !reader.end() || !hasUser || !hasN) return cx.fail("not a click");
  writer.clear().object().key("user").bytes(user).key("twice").int(2 * n).objectEnd();
  out.value = writer.out.view();
  cx.emit(out);
}
