// Keeps the cycle and the picked PE in the page's address, as in #cycle=120&pe=3,7, so that a link
// opens the same view. What a link says is not trusted: cycles are limited to the run, and
// everything else that does not fit is ignored.
'use strict';

(function (weft) {
  const kPause = 300;   // ms between changes of the address; browsers refuse more than ten a second
  const kDigits = /^\d{1,15}$/;

  // --- Reading ---------------------------------------------------------------------------------

  /** {cycle, pe} of a fragment; a part that is missing or wrong is null. */
  weft.read_link = function (fragment) {
    const fields = new URLSearchParams(fragment.replace(/^#/, ''));
    const cycle = fields.get('cycle') || '';
    const pe = (fields.get('pe') || '').split(',');
    return {cycle: kDigits.test(cycle) ? Number(cycle) : null,
      pe: pe.length === 2 && pe.every((text) => kDigits.test(text)) ? pe.map(Number) : null};
  };

  /** Shows what the address names. Returns whether it names anything. */
  function follow() {
    const {cycle, pe} = weft.read_link(location.hash);
    if (cycle !== null) weft.go_to(cycle);
    if (pe !== null) weft.pick_pe(pe);
    return cycle !== null || pe !== null;
  }

  // --- Writing ---------------------------------------------------------------------------------

  const fragment = () => `#cycle=${weft.cycle}${weft.picked ? `&pe=${weft.picked.join(',')}` : ''}`;

  let timer = null;

  function stop() {
    clearTimeout(timer);
    timer = null;
  }

  function write() {
    stop();
    try {
      history.replaceState(null, '', fragment());
    } catch {
      // A page inside another one may have no address of its own; the copied link still works.
    }
  }

  function write_soon() {
    if (timer === null) timer = setTimeout(write, kPause);
  }

  /** The address of the current view. */
  weft.link = () => location.href.replace(/#.*$/, '') + fragment();

  async function copy() {
    write();
    try {
      await navigator.clipboard.writeText(weft.link());
      weft.say('Link copied');
    } catch {
      weft.say('The browser does not allow copying; the address bar has the link');
    }
  }

  weft.link_button = () => weft.button('Copy link', {id: 'copy-link',
    title: 'Copy a link to this cycle and PE'}, copy);

  /** Follows the page's address, then keeps it up to date. */
  weft.start_link = function () {
    if (!weft.total) return;
    const [opened] = performance.getEntriesByType('navigation');
    const again = opened && opened.type !== 'navigate';  // a reload keeps its place on the page
    if (follow() && !again) document.getElementById('array').scrollIntoView();
    addEventListener('hashchange', () => {
      follow();
      stop();  // the reader's address stays as it is
    });
    weft.on('cycle', write_soon);
    weft.on('pe', write_soon);
  };
})(globalThis.weft);
