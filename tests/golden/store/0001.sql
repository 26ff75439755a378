BEGIN TRANSACTION;
CREATE TABLE finding_groups (
	run INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	label TEXT, 
	other_label TEXT, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_finding_groups PRIMARY KEY (run, number), 
	CONSTRAINT fk_finding_groups_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "finding_groups" VALUES(1,0,'wrong_boundary','PER',NULL,1);
INSERT INTO "finding_groups" VALUES(1,1,'missed','LOC',NULL,1);
CREATE TABLE findings (
	run INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	finding_group INTEGER NOT NULL, 
	document TEXT NOT NULL, 
	place TEXT NOT NULL, 
	payload JSON NOT NULL, 
	CONSTRAINT pk_findings PRIMARY KEY (run, position), 
	CONSTRAINT fk_findings_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "findings" VALUES(1,0,0,'1','prediction[0][0]','{"marks":[["reference","PER",0,2,0,11],["predicted","PER",0,1,0,5]],"text":"B-PER I-PER O B-LOC","before":false,"after":false}');
INSERT INTO "findings" VALUES(1,1,1,'2','reference[1][0]','{"marks":[["reference","LOC",0,1,0,5]],"text":"B-LOC","before":false,"after":false}');
CREATE TABLE inputs (
	run INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	role TEXT NOT NULL, 
	path TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	CONSTRAINT pk_inputs PRIMARY KEY (run, position), 
	CONSTRAINT fk_inputs_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
CREATE TABLE isogloss_schema (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT isogloss_schema_pkc PRIMARY KEY (version_num)
);
INSERT INTO "isogloss_schema" VALUES('0001');
CREATE TABLE packed (
	run INTEGER NOT NULL, 
	what TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_packed PRIMARY KEY (run, what, position), 
	CONSTRAINT fk_packed_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "packed" VALUES(1,'counts',0,X'0145B7C06B8BA463656C6C96A37C75319105A37C7531A5706C61696E00C40D78016360646062060000100007A676616C75657396A37C7531920505A37C7531A5706C61696E00C4177801636060606400014628CD0C62B2303000000076000CA86D6561737572656496A33C663893020002A33C6638A5706C61696E00C4087801030000000001A3726F7796A33C69389105A37C7531A5737465707300C40D78016360606460000000080002A5706172747392A97265666572656E6365A9707265646963746564A7636F6C756D6E7395AB73616D655F626F756E6473AB6F7665726C617070696E67A8756E706169726564AE746F6B656E735F636F7272656374AC746F6B656E735F746F74616CA563656C6C739492C0C092A34C4F43C092A34C4F43A34C4F4392A3504552A3504552A86D6561737572657390A664747970657392A33C6938A37C7531A46B696E6496A33C69389102A37C7531A5706C61696E00C40A78016364000000040002A9646F63756D656E747396A33C69389102A37C7531A5737465707300C40A78016360040000030002');
CREATE TABLE runs (
	number INTEGER NOT NULL, 
	id CHAR(32) NOT NULL, 
	name TEXT, 
	task TEXT NOT NULL, 
	system TEXT NOT NULL, 
	corpus TEXT, 
	created DATETIME NOT NULL, 
	version TEXT NOT NULL, 
	profile TEXT, 
	signature TEXT NOT NULL, 
	choices JSON NOT NULL, 
	documents BIGINT NOT NULL, 
	documents_digest TEXT, 
	main_score TEXT, 
	listed BOOLEAN NOT NULL, 
	document JSON NOT NULL, 
	native JSON NOT NULL, 
	rebuilding JSON NOT NULL, 
	CONSTRAINT pk_runs PRIMARY KEY (number), 
	CONSTRAINT uq_runs_id UNIQUE (id)
);
INSERT INTO "runs" VALUES(1,'8ef9603ad3104c75b7eb086d4721fdfd','first','ner','prediction','toy','2026-11-21 07:26:35.019164','0.1.0',NULL,'ner|scheme:iob2|repair:begin|beta:1|zero-division:undefined|macro-over:union|unit:document|confidence:0.9|resamples:20|seed:12345|method:bootstrap-percentile|version:0.1.0','{"scheme":"iob2","repair":"begin","beta":1.0,"zero-division":"undefined","macro-over":"union","unit":"document","confidence":0.9,"resamples":20,"seed":12345,"method":"bootstrap-percentile"}',2,'7fe63d4f5cdb7d94fc8c9d51c372aa4a104bbdd42082ac1866a16dc399fe3d4f','strict.f1',1,'{"task":"ner","signature":"ner|scheme:iob2|repair:begin|beta:1|zero-division:undefined|macro-over:union|unit:document|confidence:0.9|resamples:20|seed:12345|method:bootstrap-percentile|version:0.1.0","version":"0.1.0","system":"prediction","profile":null,"documents":2,"scores":{"strict":{"precision":0.5,"recall":0.3333333333333333,"f1":0.4,"possible":3,"actual":2,"correct":1,"incorrect":1,"partial":0,"missed":1,"spurious":0},"exact":{"precision":0.5,"recall":0.3333333333333333,"f1":0.4,"possible":3,"actual":2,"correct":1,"incorrect":1,"partial":0,"missed":1,"spurious":0},"partial":{"precision":0.75,"recall":0.5,"f1":0.6,"possible":3,"actual":2,"correct":1,"incorrect":0,"partial":1,"missed":1,"spurious":0},"type":{"precision":1.0,"recall":0.6666666666666666,"f1":0.8,"possible":3,"actual":2,"correct":2,"incorrect":0,"partial":0,"missed":1,"spurious":0},"tokens":{"accuracy":0.6,"correct":3,"total":5}},"by_label":{"LOC":{"strict":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":0},"exact":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":0},"partial":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":0},"type":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":0}},"PER":{"strict":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":1,"incorrect_predicted":1,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"exact":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":1,"incorrect_predicted":1,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"partial":{"precision":0.5,"recall":0.5,"f1":0.5,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":1,"partial_predicted":1,"missed":0,"spurious":0},"type":{"precision":1.0,"recall":1.0,"f1":1.0,"possible":1,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0}}},"macro":{"strict":{"precision":0.5,"precision_labels":2,"recall":0.25,"recall_labels":2,"f1":0.3333333333333333,"f1_labels":2,"labels":2},"exact":{"precision":0.5,"precision_labels":2,"recall":0.25,"recall_labels":2,"f1":0.3333333333333333,"f1_labels":2,"labels":2},"partial":{"precision":0.75,"precision_labels":2,"recall":0.5,"recall_labels":2,"f1":0.5833333333333333,"f1_labels":2,"labels":2},"type":{"precision":1.0,"precision_labels":2,"recall":0.75,"recall_labels":2,"f1":0.8333333333333333,"f1_labels":2,"labels":2}},"weighted":{"strict":{"precision":0.6666666666666666,"precision_labels":2,"recall":0.3333333333333333,"recall_labels":2,"f1":0.4444444444444444,"f1_labels":2,"labels":2},"exact":{"precision":0.6666666666666666,"precision_labels":2,"recall":0.3333333333333333,"recall_labels":2,"f1":0.4444444444444444,"f1_labels":2,"labels":2},"partial":{"precision":0.8333333333333334,"precision_labels":2,"recall":0.5,"recall_labels":2,"f1":0.611111111111111,"f1_labels":2,"labels":2},"type":{"precision":1.0,"precision_labels":2,"recall":0.6666666666666666,"recall_labels":2,"f1":0.7777777777777777,"f1_labels":2,"labels":2}},"per_document":{"strict.precision":{"mean":0.5,"std":null,"min":0.5,"max":0.5,"documents":1,"se":null},"strict.recall":{"mean":0.25,"std":0.3535533905932738,"min":0.0,"max":0.5,"documents":2,"se":0.25},"strict.f1":{"mean":0.25,"std":0.3535533905932738,"min":0.0,"max":0.5,"documents":2,"se":0.25},"exact.precision":{"mean":0.5,"std":null,"min":0.5,"max":0.5,"documents":1,"se":null},"exact.recall":{"mean":0.25,"std":0.3535533905932738,"min":0.0,"max":0.5,"documents":2,"se":0.25},"exact.f1":{"mean":0.25,"std":0.3535533905932738,"min":0.0,"max":0.5,"documents":2,"se":0.25},"partial.precision":{"mean":0.75,"std":null,"min":0.75,"max":0.75,"documents":1,"se":null},"partial.recall":{"mean":0.375,"std":0.5303300858899106,"min":0.0,"max":0.75,"documents":2,"se":0.37499999999999994},"partial.f1":{"mean":0.375,"std":0.5303300858899106,"min":0.0,"max":0.75,"documents":2,"se":0.37499999999999994},"type.precision":{"mean":1.0,"std":null,"min":1.0,"max":1.0,"documents":1,"se":null},"type.recall":{"mean":0.5,"std":0.7071067811865476,"min":0.0,"max":1.0,"documents":2,"se":0.5},"type.f1":{"mean":0.5,"std":0.7071067811865476,"min":0.0,"max":1.0,"documents":2,"se":0.5},"tokens.accuracy":{"mean":0.375,"std":0.5303300858899106,"min":0.0,"max":0.75,"documents":2,"se":0.37499999999999994}},"intervals":{"strict.precision":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"strict.recall":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"strict.f1":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"exact.precision":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"exact.recall":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"exact.f1":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"partial.precision":{"low":0.75,"high":0.75,"level":0.9,"method":"bootstrap","undefined":4},"partial.recall":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"partial.f1":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"type.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"type.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"type.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"tokens.accuracy":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"by_label.LOC.strict.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.LOC.strict.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.LOC.strict.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.strict.precision":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.strict.recall":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.strict.f1":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":4},"macro.strict.precision":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"weighted.strict.precision":{"low":0.5,"high":0.6666666666666666,"level":0.9,"method":"bootstrap","undefined":4},"macro.strict.recall":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"weighted.strict.recall":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"macro.strict.f1":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"weighted.strict.f1":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"by_label.LOC.exact.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.LOC.exact.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.LOC.exact.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.exact.precision":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.exact.recall":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.exact.f1":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":4},"macro.exact.precision":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"weighted.exact.precision":{"low":0.5,"high":0.6666666666666666,"level":0.9,"method":"bootstrap","undefined":4},"macro.exact.recall":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"weighted.exact.recall":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"macro.exact.f1":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"weighted.exact.f1":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"by_label.LOC.partial.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.LOC.partial.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.LOC.partial.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.partial.precision":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.partial.recall":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.partial.f1":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"macro.partial.precision":{"low":0.75,"high":0.75,"level":0.9,"method":"bootstrap","undefined":4},"weighted.partial.precision":{"low":0.75,"high":0.8333333333333334,"level":0.9,"method":"bootstrap","undefined":4},"macro.partial.recall":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"weighted.partial.recall":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"macro.partial.f1":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"weighted.partial.f1":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"by_label.LOC.type.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.LOC.type.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.LOC.type.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.type.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.type.recall":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"by_label.PER.type.f1":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"macro.type.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"weighted.type.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"macro.type.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.type.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.type.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.type.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.strict.precision.mean":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"per_document.strict.recall.mean":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"per_document.strict.f1.mean":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"per_document.exact.precision.mean":{"low":0.5,"high":0.5,"level":0.9,"method":"bootstrap","undefined":4},"per_document.exact.recall.mean":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"per_document.exact.f1.mean":{"low":0.0,"high":0.5,"level":0.9,"method":"bootstrap"},"per_document.partial.precision.mean":{"low":0.75,"high":0.75,"level":0.9,"method":"bootstrap","undefined":4},"per_document.partial.recall.mean":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"per_document.partial.f1.mean":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"},"per_document.type.precision.mean":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":4},"per_document.type.recall.mean":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.type.f1.mean":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.tokens.accuracy.mean":{"low":0.0,"high":0.75,"level":0.9,"method":"bootstrap"}},"confusion":[{"reference":"LOC","predicted":"LOC","count":1},{"reference":"LOC","predicted":null,"count":1},{"reference":"PER","predicted":"PER","count":1}],"findings":{"counts":{"correct":1,"wrong_type":0,"wrong_boundary":1,"wrong_type_and_boundary":0,"missed":1,"spurious":0}},"warnings":[{"code":"scheme-detected","count":1,"message":"The reference is read as IOB2 (3 spans, tags with B-, I-; every tag fits)."},{"code":"scheme-detected","count":1,"message":"The prediction is read as IOB2, like the reference (2 spans, tags with B-; every tag fits)."}]}','{}','{"recipe":{"place":"isogloss.evaluate.ner:measure","arguments":{"profile":null,"options":{}}},"resampling":{"level":0.9,"resamples":20,"seed":12345},"by":[],"unit":null}');
CREATE TABLE scores (
	run INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	value FLOAT, 
	low FLOAT, 
	high FLOAT, 
	CONSTRAINT pk_scores PRIMARY KEY (run, path), 
	CONSTRAINT fk_scores_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "scores" VALUES(1,'strict.precision',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'strict.recall',3.33333333333333314829e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'strict.f1',0.4,0.0,0.5);
INSERT INTO "scores" VALUES(1,'strict.possible',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.actual',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.correct',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.incorrect',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.partial',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.precision',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'exact.recall',3.33333333333333314829e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'exact.f1',0.4,0.0,0.5);
INSERT INTO "scores" VALUES(1,'exact.possible',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.actual',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.correct',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.incorrect',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.partial',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.precision',0.75,0.75,0.75);
INSERT INTO "scores" VALUES(1,'partial.recall',0.5,0.0,0.75);
INSERT INTO "scores" VALUES(1,'partial.f1',0.6,0.0,0.75);
INSERT INTO "scores" VALUES(1,'partial.possible',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.actual',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.correct',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.incorrect',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.partial',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'type.recall',6.66666666666666629659e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'type.f1',0.8,0.0,1.0);
INSERT INTO "scores" VALUES(1,'type.possible',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.actual',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.correct',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.incorrect',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.partial',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'tokens.accuracy',0.6,0.0,0.75);
INSERT INTO "scores" VALUES(1,'tokens.correct',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'tokens.total',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.recall',0.5,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.f1',6.66666666666666629659e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.precision',0.0,0.0,0.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.recall',0.0,0.0,0.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.f1',0.0,0.0,0.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.correct_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.correct_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.incorrect_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.incorrect_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.precision',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'macro.strict.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.precision',6.66666666666666629659e-01,0.5,6.66666666666666629659e-01);
INSERT INTO "scores" VALUES(1,'weighted.strict.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.recall',0.25,0.0,0.5);
INSERT INTO "scores" VALUES(1,'macro.strict.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.recall',3.33333333333333314829e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'weighted.strict.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.f1',3.33333333333333314829e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'macro.strict.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.f1',4.44444444444444419772e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'weighted.strict.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.recall',0.5,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.f1',6.66666666666666629659e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.precision',0.0,0.0,0.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.recall',0.0,0.0,0.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.f1',0.0,0.0,0.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.correct_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.correct_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.incorrect_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.incorrect_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.precision',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'macro.exact.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.precision',6.66666666666666629659e-01,0.5,6.66666666666666629659e-01);
INSERT INTO "scores" VALUES(1,'weighted.exact.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.recall',0.25,0.0,0.5);
INSERT INTO "scores" VALUES(1,'macro.exact.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.recall',3.33333333333333314829e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'weighted.exact.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.f1',3.33333333333333314829e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'macro.exact.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.f1',4.44444444444444419772e-01,0.0,0.5);
INSERT INTO "scores" VALUES(1,'weighted.exact.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.recall',0.5,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.f1',6.66666666666666629659e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.precision',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.recall',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.f1',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.correct_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.correct_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.partial_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.partial_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.precision',0.75,0.75,0.75);
INSERT INTO "scores" VALUES(1,'macro.partial.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.precision',8.3333333333333337034e-01,0.75,8.3333333333333337034e-01);
INSERT INTO "scores" VALUES(1,'weighted.partial.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.recall',0.5,0.0,0.75);
INSERT INTO "scores" VALUES(1,'macro.partial.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.recall',0.5,0.0,0.75);
INSERT INTO "scores" VALUES(1,'weighted.partial.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.f1',5.83333333333333259318e-01,0.0,0.75);
INSERT INTO "scores" VALUES(1,'macro.partial.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.f1',0.611111111111111,0.0,0.75);
INSERT INTO "scores" VALUES(1,'weighted.partial.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.recall',0.5,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.f1',6.66666666666666629659e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.recall',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.f1',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'macro.type.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.precision',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'weighted.type.precision_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.recall',0.75,0.0,1.0);
INSERT INTO "scores" VALUES(1,'macro.type.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.recall',6.66666666666666629659e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'weighted.type.recall_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.f1',8.33333333333333259318e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'macro.type.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.f1',7.77777777777777679091e-01,0.0,1.0);
INSERT INTO "scores" VALUES(1,'weighted.type.f1_labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.labels',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.correct',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.wrong_type',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.wrong_boundary',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.wrong_type_and_boundary',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.mean',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.std',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.min',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.max',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.documents',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.se',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.mean',0.25,0.0,0.5);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.std',3.53553390593273786368e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.max',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.se',0.25,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.mean',0.25,0.0,0.5);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.std',3.53553390593273786368e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.max',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.se',0.25,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.mean',0.5,0.5,0.5);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.std',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.min',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.max',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.documents',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.se',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.mean',0.25,0.0,0.5);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.std',3.53553390593273786368e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.max',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.se',0.25,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.mean',0.25,0.0,0.5);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.std',3.53553390593273786368e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.max',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.se',0.25,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.mean',0.75,0.75,0.75);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.std',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.min',0.75,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.max',0.75,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.documents',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.se',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.mean',0.375,0.0,0.75);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.std',5.30330085889910596286e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.max',0.75,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.se',3.74999999999999944488e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.mean',0.375,0.0,0.75);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.std',5.30330085889910596286e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.max',0.75,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.se',3.74999999999999944488e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.mean',1.0,1.0,1.0);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.std',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.min',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.documents',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.se',NULL,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.mean',0.5,0.0,1.0);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.std',7.07106781186547572737e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.se',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.mean',0.5,0.0,1.0);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.std',7.07106781186547572737e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.se',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.mean',0.375,0.0,0.75);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.std',5.30330085889910596286e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.max',0.75,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.documents',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.se',3.74999999999999944488e-01,NULL,NULL);
CREATE TABLE tags (
	run INTEGER NOT NULL, 
	tag TEXT NOT NULL, 
	CONSTRAINT pk_tags PRIMARY KEY (run, tag), 
	CONSTRAINT fk_tags_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "tags" VALUES(1,'kept');
CREATE INDEX ix_runs_name ON runs (name);
CREATE INDEX ix_runs_created ON runs (created);
CREATE INDEX ix_inputs_sha256 ON inputs (sha256);
CREATE INDEX ix_tags_tag ON tags (tag);
CREATE INDEX ix_scores_path_value ON scores (path, value);
CREATE INDEX ix_findings_run_finding_group_position ON findings (run, finding_group, position);
CREATE INDEX ix_findings_run_document_position_finding_group ON findings (run, document, position, finding_group);
COMMIT;
