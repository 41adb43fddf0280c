/** Text of machines, as it is: scrolls inside itself, can be copied. */

import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

export interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  /** Lines break instead of scrolling. */
  readonly wrap?: boolean;
}

export function CodeBlock({ text, label, wrap = false }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={label}>
        <pre className={styles.text} data-wrap={wrap}>
          {text}
        </pre>
      </section>
      <div className={styles.copy}>
        <CopyButton text={text} name={label} />
      </div>
    </div>
  );
}

/** A value as indented JSON. */
export function JsonView({ value, label = 'JSON' }: { readonly value: unknown; readonly label?: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />;
}
