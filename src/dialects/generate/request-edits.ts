/** Changes of a request of this dialect: at its top, in its `generationConfig`, and in the `thinkingConfig` there. */
import { type BodyView, isScanError, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { utf8 } from '../bytes/text.ts';
import { given, objectGiven, removal, setting } from './fields.ts';

const EMPTY = utf8('{}');

export const CONFIG = 'generationConfig';
export const THINKING = 'thinkingConfig';

export class RequestEdits {
  readonly view: BodyView;
  /** Null = the request has none. */
  readonly config: BodyView | null;
  readonly thinking: BodyView | null;
  readonly #top = new Map<string, Edit>();
  readonly #inConfig = new Map<string, Edit>();
  readonly #inThinking = new Map<string, Edit>();

  constructor(view: BodyView) {
    this.view = view;
    this.config = objectGiven(view, CONFIG);
    this.thinking = this.config === null ? null : objectGiven(this.config, THINKING);
  }

  /** `name` in lowerCamelCase, here and below. False = it was not there. */
  removeTop(name: string): boolean {
    return remove(this.#top, this.view, name);
  }

  removeInConfig(name: string): boolean {
    return this.config !== null && remove(this.#inConfig, this.config, name);
  }

  removeInThinking(name: string): boolean {
    return this.thinking !== null && remove(this.#inThinking, this.thinking, name);
  }

  setTop(name: string, value: Uint8Array): void {
    set(this.#top, this.view, name, value);
  }

  setInConfig(name: string, value: Uint8Array): void {
    set(this.#inConfig, this.config ?? viewOf(EMPTY), name, value);
  }

  setInThinking(name: string, value: Uint8Array): void {
    set(this.#inThinking, this.thinking ?? viewOf(EMPTY), name, value);
  }

  /** The body with all of it. */
  write(): Uint8Array {
    if (this.#inThinking.size > 0) {
      this.setInConfig(THINKING, edit(this.thinking ?? viewOf(EMPTY), [...this.#inThinking.values()]));
    }
    if (this.#inConfig.size > 0) {
      this.setTop(CONFIG, edit(this.config ?? viewOf(EMPTY), [...this.#inConfig.values()]));
    }
    return edit(this.view, [...this.#top.values()]);
  }
}

function remove(edits: Map<string, Edit>, view: BodyView, name: string): boolean {
  const asked = given(view, name) !== null;
  for (const change of removal(view, name)) edits.set(change.key, change);
  return asked;
}

function set(edits: Map<string, Edit>, view: BodyView, name: string, value: Uint8Array): void {
  const change = setting(view, name, value);
  edits.set(change.key, change);
}

function viewOf(json: Uint8Array): BodyView {
  const view = scanObject(json);
  if (isScanError(view)) throw new Error(`not an object: ${view.message}`);
  return view;
}
