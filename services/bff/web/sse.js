/**
 * An incremental parser of `text/event-stream` bodies. It takes bytes as the network delivers them
 * and returns the data of complete events. Names, ids and comments of events are ignored.
 */
export class EventStreamParser {
  #decoder = new TextDecoder();
  #line = '';
  #data = [];
  #skipLineFeed = false;

  /** Takes the next bytes and returns the data of each completed event. */
  push(bytes) {
    return this.#read(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Ends the body: returns the last event if its blank line is missing. */
  end() {
    const events = this.#read(this.#decoder.decode());
    if (this.#line !== '') this.#field(this.#take());
    return events.concat(this.#dispatch());
  }

  #read(text) {
    const events = [];
    let from = 0;
    // A carriage return at the end of the previous bytes can be half of a CRLF.
    if (this.#skipLineFeed && text !== '') {
      this.#skipLineFeed = false;
      if (text[0] === '\n') from = 1;
    }
    for (let at = from; at < text.length; at += 1) {
      const sign = text[at];
      if (sign !== '\n' && sign !== '\r') continue;
      this.#line += text.slice(from, at);
      if (sign === '\r') {
        if (at + 1 === text.length) this.#skipLineFeed = true;
        else if (text[at + 1] === '\n') at += 1;
      }
      from = at + 1;
      const line = this.#take();
      if (line === '') events.push(...this.#dispatch());
      else this.#field(line);
    }
    this.#line += text.slice(from);
    return events;
  }

  #take() {
    const line = this.#line;
    this.#line = '';
    return line;
  }

  #field(line) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    if (name !== 'data') return;
    const value = colon < 0 ? '' : line.slice(colon + 1);
    this.#data.push(value.startsWith(' ') ? value.slice(1) : value);
  }

  #dispatch() {
    if (this.#data.length === 0) return [];
    const data = this.#data.join('\n');
    this.#data = [];
    return [data];
  }
}
