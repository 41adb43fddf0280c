/** The console's own icons: 20 × 20, strokes in the colour of the text. */
import type { ReactNode } from 'react';
import styles from './icons.module.css';

const SHAPES = {
  overview: <path d="M3 16.5h14M4.5 13l3.2-4 3 2.4L15.5 5" />,
  requests: <path d="M3 5h14M3 10h14M3 15h9" />,
  targets: (
    <>
      <circle cx="10" cy="10" r="7" />
      <circle cx="10" cy="10" r="3" />
    </>
  ),
  routing: (
    <path d="M3 10h4.5c3 0 2.5-5 5.5-5H17M7.5 10c3 0 2.5 5 5.5 5H17M14.8 2.8 17 5l-2.2 2.2M14.8 12.8 17 15l-2.2 2.2" />
  ),
  policies: <path d="M3.5 4h13v12h-13zM3.5 8h13M8 8v8M12.3 8v8" />,
  credentials: <path d="M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9M10 12.3v1.6" />,
  keys: (
    <>
      <circle cx="6.5" cy="13.5" r="3.5" />
      <path d="m9 11 7.5-7.5M14 6l2 2M11.8 8.2l1.6 1.6" />
    </>
  ),
  workspaces: <path d="M3 3.5h6v6H3zM11 3.5h6v6h-6zM3 11.5h6v5H3zM11 11.5h6v5h-6z" />,
  members: (
    <>
      <circle cx="8" cy="7" r="3" />
      <path d="M2.5 16.5c0-3 2.5-4.7 5.5-4.7s5.5 1.7 5.5 4.7M13 4.3a3 3 0 0 1 0 5.4M15 12.3c1.6.7 2.5 2.2 2.5 4.2" />
    </>
  ),
  webhooks: (
    <path d="M7.5 5.5a3 3 0 1 1 4.2 3.9l2.2 4M13 16.5a3 3 0 1 0 1-3.1H8.5M4 10.6a3 3 0 1 0 4.3 3.4M8.7 8.3 6 13" />
  ),
  audit: <path d="M5 2.5h10v15H5zM7.5 6.5h5M7.5 10h5M7.5 13.5h3" />,
  playground: <path d="M5.5 3.5 16 10 5.5 16.5z" />,
  menu: <path d="M3 5.5h14M3 10h14M3 14.5h14" />,
  close: <path d="m5 5 10 10M15 5 5 15" />,
  search: (
    <>
      <circle cx="8.5" cy="8.5" r="5" />
      <path d="m12.3 12.3 4.2 4.2" />
    </>
  ),
  person: (
    <>
      <circle cx="10" cy="6.8" r="3.3" />
      <path d="M3.5 17c.4-3.6 3-5.3 6.5-5.3s6.1 1.7 6.5 5.3" />
    </>
  ),
  copy: <path d="M7 7h9.5v9.5H7zM13 7V3.5H3.5V13H7" />,
  check: <path d="m4 10.5 4 4 8-9" />,
  down: <path d="m5 7.5 5 5 5-5" />,
  up: <path d="m5 12.5 5-5 5 5" />,
  right: <path d="m7.5 5 5 5-5 5" />,
  left: <path d="m12.5 5-5 5 5 5" />,
  more: <path d="M4.5 10h.01M10 10h.01M15.5 10h.01" strokeWidth="2.6" />,
  grip: <path d="M7.5 5h.01M12.5 5h.01M7.5 10h.01M12.5 10h.01M7.5 15h.01M12.5 15h.01" strokeWidth="2.4" />,
  plus: <path d="M10 4v12M4 10h12" />,
  warning: <path d="M10 3 18 16.5H2zM10 8v4M10 14.3v.01" />,
  info: (
    <>
      <circle cx="10" cy="10" r="7" />
      <path d="M10 9v4.5M10 6.5v.01" />
    </>
  ),
  stop: <path d="M5 5h10v10H5z" />,
  refresh: <path d="M16.5 10a6.5 6.5 0 1 1-2-4.7L16.5 7M16.5 3v4h-4" />,
  external: <path d="M8 4.5H4v11.5h11.5V12M11.5 3.5h5v5M16 4l-7 7" />,
  filter: <path d="M3 4.5h14l-5.5 6.5v5l-3-1.5V11z" />,
  download: <path d="M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13" />,
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

/** Decoration only: what it means is said in words beside it, or in the button's label. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className={styles.icon} viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" focusable="false">
      {SHAPES[name]}
    </svg>
  );
}
