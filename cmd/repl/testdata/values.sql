-- NULL, the text NULL, the empty string, quotes, separators
SELECT * FROM (VALUES
    (1, NULL, 1.50, TRUE),
    (-20, 'NULL', NULL, FALSE),
    (NULL, '', 0.00, NULL),
    (300, 'it''s', 99.99, NULL),
    (4, '''quoted''', 1.00, TRUE),
    (5, 'a,b "c"', 2.00, TRUE)
) t(n, s, "decimal, exact", b);
-- wide characters, control characters
SELECT * FROM (VALUES ('日本語', 1), ('né', 2), ('🎉 party', 3), ('two
lines	and a tab', 4)) t("名前", i);
-- no rows
SELECT a FROM (VALUES (1)) t(a) WHERE a > 1;
-- types
SELECT DATE '2024-02-29' AS d, TIMESTAMP '2024-02-29 12:34:56.789' AS ts, INTERVAL '1 month 2 days' AS i, 1e300 AS x, 12345678901234567890 AS h;
DESCRIBE SELECT 1 AS a, 'x' AS b, NULL AS c;
EXPLAIN SELECT a FROM (VALUES (1), (2)) t(a) WHERE a > 1 ORDER BY a;
