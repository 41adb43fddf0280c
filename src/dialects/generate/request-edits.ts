/** Changes of a request of this dialect: at its top, in its `generationConfig`, and in the `thinkingConfig` there. */
import { type BodyView, isScanError, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { utf8 } from '../bytes/text.ts';
import { given, objectGiven, removal, setting, snakeCase } from './fields.ts';

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

  /** The body with all of it. What is set in an object that goes is all that is left of it. */
  write(): Uint8Array {
    const configGoes = isRemoved(this.#top, CONFIG);
    if (this.#inThinking.size > 0) {
      const base = configGoes || isRemoved(this.#inConfig, THINKING) ? null : this.thinking;
      this.setInConfig(THINKING, edit(base ?? viewOf(EMPTY), [...this.#inThinking.values()]));
    }
    if (this.#inConfig.size > 0) {
      const base = configGoes ? null : this.config;
      this.setTop(CONFIG, edit(base ?? viewOf(EMPTY), [...this.#inConfig.values()]));
    }
    return edit(this.view, [...this.#top.values()]);
  }
}

function isRemoved(edits: ReadonlyMap<string, Edit>, name: string): boolean {
  return edits.get(name)?.op === 'remove' || edits.get(snakeCase(name))?.op === 'remove';
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
