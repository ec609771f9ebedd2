SELECT 1 AS before;

SELECT amount
FROM (VALUES (1)) t(amout);

SELECT 2 AS never;
