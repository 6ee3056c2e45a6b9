// A record of JSON, read in one pass with the strings of the language.

class Reader {
  at: i32 = 0;
  failed: bool = false;

  constructor(public text: string) {}

  // look returns the next character that is not white space, 0 at the end.
  look(): i32 {
    while (this.at < this.text.length) {
      const c = this.text.charCodeAt(this.at);
      if (c != 32 && c != 10 && c != 13 && c != 9) return c;
      this.at++;
    }
    return 0;
  }

  // take passes over c, which has to be next.
  take(c: i32): bool {
    if (this.look() != c) {
      this.failed = true;
      return false;
    }
    this.at++;
    return true;
  }

  string(): string {
    if (!this.take(34)) return "";
    const from = this.at;
    while (this.at < this.text.length) {
      const c = this.text.charCodeAt(this.at++);
      if (c == 34) return this.text.substring(from, this.at - 1);
      if (c == 92) this.at++;
    }
    this.failed = true;
    return "";
  }

  // word reads a number or a name, as text.
  word(): string {
    this.look();
    const from = this.at;
    while (this.at < this.text.length) {
      const c = this.text.charCodeAt(this.at);
      const part = (c >= 48 && c <= 57) || (c >= 97 && c <= 122) || c == 43 || c == 45 || c == 46 || c == 69;
      if (!part) break;
      this.at++;
    }
    this.failed = this.failed || this.at == from;
    return this.text.substring(from, this.at);
  }

  // skip passes over any value and returns how many elements it has.
  skip(depth: i32): i32 {
    const open = this.look();
    if (open == 34) {
      this.string();
      return 0;
    }
    if (open != 91 && open != 123) {
      this.word();
      return 0;
    }
    if (depth == 0) this.failed = true;
    this.at++;
    const close = open + 2;
    let n = 0;
    if (this.look() == close) {
      this.at++;
      return 0;
    }
    while (!this.failed) {
      if (open == 123) {
        this.string();
        this.take(58);
      }
      this.skip(depth - 1);
      n++;
      if (this.look() == close) {
        this.at++;
        return n;
      }
      this.take(44);
    }
    return 0;
  }
}

// transform returns what is kept of a record, null if it is not one.
export function transform(text: string): string | null {
  const r = new Reader(text);
  let id = "", user = "", ts = "", amount = "", tags = -1;
  r.take(123);
  while (!r.failed) {
    const name = r.string();
    r.take(58);
    if (name == "id") id = r.word();
    else if (name == "user") user = r.string();
    else if (name == "ts") ts = r.word();
    else if (name == "amount") amount = r.word();
    else if (name == "tags") tags = r.skip(64);
    else r.skip(64);
    if (r.look() == 125) break;
    r.take(44);
  }
  r.take(125);
  if (r.failed || r.look() != 0 || tags < 0 || id == "" || ts == "" || amount == "") return null;
  const cents = <i64>Math.floor(parseFloat(amount) * 100 + 0.5);
  return (
    '{"id":' + U64.parseInt(id).toString() +
    ',"by":"' + user +
    '","ct":' + cents.toString() +
    ',"tags":' + tags.toString() +
    ',"at":' + (U64.parseInt(ts) / 1000).toString() + "}"
  );
}
