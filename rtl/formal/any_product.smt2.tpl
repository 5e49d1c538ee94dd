(define-sort Factor () (_ BitVec 8))
(declare-fun product (Factor Factor) (_ BitVec 16))
%%
