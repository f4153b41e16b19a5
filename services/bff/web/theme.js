/** The colour scheme: that of the system, until the user selects one. */

const KEY = 'heliograph-theme';

/** Applies the stored choice and connects the button. */
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

// Browsers can refuse storage. The choice then lasts as long as the page.
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
    // Only the choice is lost.
  }
}
