/** Light or dark: as the system says, until a person chooses. */

const KEY = 'heliograph-theme';

/** Applies the kept choice and lets a button change it. */
export function themeButton(element) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let chosen = read();
  const apply = () => {
    if (chosen) document.documentElement.dataset.theme = chosen;
    const now = chosen ?? (dark.matches ? 'dark' : 'light');
    element.dataset.now = now;
    element.setAttribute('aria-label', now === 'dark' ? 'Use light colours' : 'Use dark colours');
    element.title = element.getAttribute('aria-label');
  };
  dark.addEventListener('change', apply);
  element.addEventListener('click', () => {
    chosen = element.dataset.now === 'dark' ? 'light' : 'dark';
    write(chosen);
    apply();
  });
  apply();
}

// Browsers may refuse storage; then the choice lasts as long as the page.
function read() {
  try {
    const kept = localStorage.getItem(KEY);
    return ['light', 'dark'].includes(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function write(choice) {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Nothing is lost but the memory of it.
  }
}
