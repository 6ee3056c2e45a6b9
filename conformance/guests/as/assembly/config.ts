import { Bytes, Context, Json, NoTime, Record } from "../../../../sdk-as/assembly";
import { emitText, emitValue } from "./words";

/** The numbers of the config's list, with a comma between them. */
function list(cx: Context): string {
  const raw = cx.configAt("/list"), numbers: string[] = [];
  if (raw === null) return "";
  const json = new Json().open(raw);
  if (json.array()) while (json.element()) numbers.push(json.int().toString());
  return numbers.join(",");
}

export function configured(cx: Context): void {
  const nothing = cx.configAt("/nothing");
  emitText(cx, "text=" + cx.configText("/text", ""));
  emitText(cx, "number=" + cx.configInt("/number", 0).toString());
  emitText(cx, "list=" + list(cx));
  emitText(cx, "flag=" + (cx.configBool("/flag", false) ? "true" : "false"));
  emitText(cx, "nothing=" + (nothing === null ? "null" : nothing.text()));
  emitText(cx, "nested=" + cx.configText("/nested/a/b", ""));
}

export function info(record: Record, cx: Context): void {
  const place = [cx.job, cx.step, cx.tenant, cx.task.toString(), cx.partitions.toString(), cx.inputs.join(","), cx.outputs.join(",")];
  const time = record.time == NoTime ? "none" : record.time.toString();
  const from = [cx.partitionNumber.toString(), cx.partitionName.text(), record.position.toString(), record.stream.toString(), time];
  emitText(cx, place.join(" "));
  emitValue(cx, null, Bytes.of(from.join(" ")));
}
