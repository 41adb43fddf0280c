/** Where the console starts. */
import './theme/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { whenSignedOut } from './api/client.ts';
import { queryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { allowEmptyMarkup } from './no-markup.ts';
import { readLinkToken } from './session/link-token.ts';
import { forgetSession } from './session/session.ts';
import { startTheme } from './theme/theme.ts';

readLinkToken();
allowEmptyMarkup();
startTheme();
whenSignedOut(forgetSession);

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <BrowserRouter basename="/console">
        <App />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
);
