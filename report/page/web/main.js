// Builds the page. A section without data does not appear.
'use strict';

(function (weft) {
  weft.draw_header();
  weft.draw_training();
  weft.draw_sweep();
  weft.draw_why();
  weft.draw_candidates();
  weft.draw_tile_map();
  weft.draw_mapping();
  weft.draw_array();
  weft.draw_timeline_section();
  weft.draw_ledger();
  weft.draw_energy();
  weft.draw_roofline();
  weft.draw_layers();
  weft.draw_sensitivity();
  weft.draw_compare();
  weft.draw_imports();
  weft.draw_results();
  weft.draw_account();
  if (weft.points) weft.draw_points();
  weft.draw_keys();
  weft.draw_contents();
  if (weft.total) weft.go_to(0);
  weft.choose_asked();
  weft.start_link();
  weft.ready = true;
})(globalThis.weft);
