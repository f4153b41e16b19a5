/** The text field with its button, which stops a running answer. */

export class Composer {
  #busy = false;
  /** Called with the text to send. @type {(text: string) => void} */
  onSend = () => {};
  /** Called to stop the answer. */
  onStop = () => {};

  constructor(form) {
    this.form = form;
    this.field = form.querySelector('textarea');
    this.send = form.querySelector('[data-send]');
    this.stop = form.querySelector('[data-stop]');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.stop.addEventListener('click', () => this.onStop());
    this.field.addEventListener('input', () => this.#fit());
    this.field.addEventListener('keydown', (event) => {
      // While an input method is composing, Enter belongs to it.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#fit();
  }

  set busy(busy) {
    this.#busy = busy;
    const hadFocus = this.form.contains(document.activeElement);
    this.send.hidden = busy;
    this.stop.hidden = !busy;
    if (hadFocus && document.activeElement === document.body) this.field.focus();
  }

  /** Disables sending, because there is no conversation. */
  set closed(closed) {
    this.field.disabled = closed;
    this.#fit();
  }

  set hint(text) {
    this.field.placeholder = text;
  }

  /** Not on touch screens, where the keyboard would open. */
  focus() {
    if (matchMedia('(pointer: fine)').matches) this.field.focus({ preventScroll: true });
  }

  #submit() {
    const text = this.field.value;
    if (this.#busy || text.trim() === '') return;
    this.field.value = '';
    this.#fit();
    this.onSend(text);
  }

  #fit() {
    this.field.style.height = 'auto';
    this.field.style.height = `${Math.min(this.field.scrollHeight, 200)}px`;
    this.send.disabled = this.field.disabled || this.field.value.trim() === '';
  }
}
