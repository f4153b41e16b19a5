import { defineConfig } from 'vite';

// The page and the API share an origin, so the session's cookie stays `SameSite` and no CORS is needed. The `Host` header passes as it is
// (no `changeOrigin`): the bff compares it with `Origin` to refuse requests of other pages.
const target = process.env.HELIOGRAPH_URL ?? 'http://127.0.0.1:8080';
const proxy = Object.fromEntries(['/api', '/auth'].map((path) => [path, { target }]));

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic' } },
  server: { proxy },
  preview: { proxy },
  build: {
    rolldownOptions: {
      // "use client" means nothing in a page that has no server components.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
});
