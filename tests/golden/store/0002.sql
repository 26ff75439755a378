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
INSERT INTO "finding_groups" VALUES(1,0,'wrong_type','PER',NULL,1);
INSERT INTO "finding_groups" VALUES(1,1,'missed','PER',NULL,2);
INSERT INTO "finding_groups" VALUES(1,2,'spurious','PER',NULL,2);
INSERT INTO "finding_groups" VALUES(1,3,'split',NULL,NULL,6);
INSERT INTO "finding_groups" VALUES(1,4,'wrong_type','LOC','PER',1);
INSERT INTO "finding_groups" VALUES(1,5,'missed','LOC',NULL,2);
INSERT INTO "finding_groups" VALUES(1,6,'spurious','LOC',NULL,2);
INSERT INTO "finding_groups" VALUES(1,7,'wrong_type','U.S.','PER',1);
INSERT INTO "finding_groups" VALUES(1,8,'missed','U.S.',NULL,1);
INSERT INTO "finding_groups" VALUES(1,9,'spurious','U.S.',NULL,1);
INSERT INTO "finding_groups" VALUES(1,10,'wrong_type','дата','PER',1);
INSERT INTO "finding_groups" VALUES(1,11,'missed','дата',NULL,1);
INSERT INTO "finding_groups" VALUES(1,12,'spurious','дата',NULL,1);
INSERT INTO "finding_groups" VALUES(1,13,'wrong_type','PER','LOC',1);
INSERT INTO "finding_groups" VALUES(1,14,'wrong_type','LOC',NULL,1);
CREATE TABLE finding_slices (
	run INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	slice_column TEXT NOT NULL, 
	value TEXT NOT NULL, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_finding_slices PRIMARY KEY (run, number), 
	CONSTRAINT fk_finding_slices_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "finding_slices" VALUES(1,0,'genre','web',7);
INSERT INTO "finding_slices" VALUES(1,1,'author','ж0',20);
INSERT INTO "finding_slices" VALUES(1,2,'genre','U.S.',7);
INSERT INTO "finding_slices" VALUES(1,3,'genre','news',6);
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
INSERT INTO "findings" VALUES(1,0,0,'1','system.conll:1','{"marks":[["reference","PER",3,4,null,null],["predicted","PER",3,5,null,null]],"more":{"token":"т0"}}');
INSERT INTO "findings" VALUES(1,1,1,'1','system.conll:2','{"marks":[["reference","PER",3,4,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,2,2,'1','system.conll:3','{"marks":[["predicted","PER",3,5,null,null]],"more":{"slices":{"genre":"U.S.","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,3,3,'2','system.conll:4','{"marks":[["reference",null,3,4,null,null],["predicted",null,3,5,null,null]],"more":{"slices":{"genre":"news","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,4,4,'2','system.conll:5','{"marks":[["reference","LOC",3,4,null,null],["predicted","PER",3,5,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,5,5,'2','system.conll:6','{"marks":[["reference","LOC",3,4,null,null]],"more":{"token":"т5","slices":{"genre":"U.S.","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,6,6,'3','system.conll:7','{"marks":[["predicted","LOC",3,5,null,null]],"more":{"slices":{"genre":"news","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,7,3,'3','system.conll:8','{"marks":[["reference",null,3,4,null,null],["predicted",null,3,5,null,null]]}');
INSERT INTO "findings" VALUES(1,8,7,'3','system.conll:9','{"marks":[["reference","U.S.",3,4,null,null],["predicted","PER",3,5,null,null]],"more":{"slices":{"genre":"U.S.","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,9,8,'4','system.conll:10','{"marks":[["reference","U.S.",3,4,null,null]],"more":{"slices":{"genre":"news","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,10,9,'4','system.conll:11','{"marks":[["predicted","U.S.",3,5,null,null]],"more":{"token":"т10","slices":{"genre":"web","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,11,3,'4','system.conll:12','{"marks":[["reference",null,3,4,null,null],["predicted",null,3,5,null,null]],"more":{"slices":{"genre":"U.S.","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,12,10,'5','system.conll:13','{"marks":[["reference","дата",3,4,null,null],["predicted","PER",3,5,null,null]],"more":{"slices":{"genre":"news","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,13,11,'5','system.conll:14','{"marks":[["reference","дата",3,4,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,14,12,'5','system.conll:15','{"marks":[["predicted","дата",3,5,null,null]]}');
INSERT INTO "findings" VALUES(1,15,3,'6','system.conll:16','{"marks":[["reference",null,3,4,null,null],["predicted",null,3,5,null,null]],"more":{"token":"т15","slices":{"genre":"news","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,16,13,'6','system.conll:17','{"marks":[["reference","PER",3,4,null,null],["predicted","LOC",3,5,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,17,1,'6','system.conll:18','{"marks":[["reference","PER",3,4,null,null]],"more":{"slices":{"genre":"U.S.","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,18,2,'7','system.conll:19','{"marks":[["predicted","PER",3,5,null,null]],"more":{"slices":{"genre":"news","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,19,3,'7','system.conll:20','{"marks":[["reference",null,3,4,null,null],["predicted",null,3,5,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,20,14,'7','system.conll:21','{"marks":[["reference","LOC",3,4,null,null],["predicted","LOC",3,5,null,null]],"more":{"token":"т20","slices":{"genre":"U.S.","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,21,5,'8','system.conll:22','{"marks":[["reference","LOC",3,4,null,null]]}');
INSERT INTO "findings" VALUES(1,22,6,'8','system.conll:23','{"marks":[["predicted","LOC",3,5,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}');
INSERT INTO "findings" VALUES(1,23,3,'8','system.conll:24','{"marks":[["reference",null,3,4,null,null],["predicted",null,3,5,null,null]],"more":{"slices":{"genre":"U.S.","author":"ж0"}}}');
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
INSERT INTO "isogloss_schema" VALUES('0002');
CREATE TABLE packed (
	run INTEGER NOT NULL, 
	what TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_packed PRIMARY KEY (run, what, position), 
	CONSTRAINT fk_packed_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "packed" VALUES(1,'counts',0,X'0101CBCA4F8BA463656C6C96A37C7531910AA37C7531A5706C61696E00C4127801636064616065606265600600006B0015A676616C75657396A37C7531920A05A37C7531A5706C61696E00C42278016360606060044210020310CD08E300D94C0CCC20820944B03000390001B20019A86D6561737572656496A33C663893040002A33C6638A5706C61696E00C4087801030000000001A3726F7796A33C6938910AA37C7531A5737465707300C40F780163606060044220020000180004A5706172747392A97265666572656E6365A9707265646963746564A7636F6C756D6E7395AB73616D655F626F756E6473AB6F7665726C617070696E67A8756E706169726564AE746F6B656E735F636F7272656374AC746F6B656E735F746F74616CA563656C6C739692C0C092C0A34F524792A34C4F43A34C4F4392A34C4F43A350455292A34F5247C092A3504552A3504552A86D6561737572657390A664747970657392A33C6938A37C7531A46B696E6496A33C69389104A37C7531A5706C61696E00C40C780163626066040000130007A9646F63756D656E747396A33C69389104A37C7531A5737465707300C40C7801636064640400000A0004');
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
INSERT INTO "runs" VALUES(1,'db873ade55e840899043e99c1c35ccdb','first','ner','prediction',NULL,'2026-11-22 12:46:40.726665','0.1.0',NULL,'ner|scheme:iob2|repair:begin|beta:1|zero-division:undefined|macro-over:union|version:0.1.0','{"scheme":"iob2","repair":"begin","beta":1.0,"zero-division":"undefined","macro-over":"union"}',4,'f5c2d24080f0fd20d2b2a2eacefe0cf9a457d72a70c3611b304433229976e425','strict.f1',1,'{"task":"ner","signature":"ner|scheme:iob2|repair:begin|beta:1|zero-division:undefined|macro-over:union|version:0.1.0","version":"0.1.0","system":"prediction","profile":null,"documents":4,"scores":{"strict":{"precision":0.4,"recall":0.4,"f1":0.4,"possible":5,"actual":5,"correct":2,"incorrect":2,"partial":0,"missed":1,"spurious":1},"exact":{"precision":0.6,"recall":0.6,"f1":0.6,"possible":5,"actual":5,"correct":3,"incorrect":1,"partial":0,"missed":1,"spurious":1},"partial":{"precision":0.7,"recall":0.7,"f1":0.7,"possible":5,"actual":5,"correct":3,"incorrect":0,"partial":1,"missed":1,"spurious":1},"type":{"precision":0.6,"recall":0.6,"f1":0.6,"possible":5,"actual":5,"correct":3,"incorrect":1,"partial":0,"missed":1,"spurious":1},"tokens":{"accuracy":0.6363636363636364,"correct":7,"total":11}},"by_label":{"LOC":{"strict":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":1,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"exact":{"precision":1.0,"recall":1.0,"f1":1.0,"possible":2,"actual":1,"correct_reference":2,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"partial":{"precision":1.0,"recall":1.0,"f1":1.0,"possible":2,"actual":1,"correct_reference":2,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"type":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":1,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0}},"ORG":{"strict":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1},"exact":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1},"partial":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1},"type":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1}},"PER":{"strict":{"precision":0.3333333333333333,"recall":0.5,"f1":0.4,"possible":2,"actual":3,"correct_reference":1,"correct_predicted":1,"incorrect_reference":1,"incorrect_predicted":2,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"exact":{"precision":0.6666666666666666,"recall":0.5,"f1":0.5714285714285714,"possible":2,"actual":3,"correct_reference":1,"correct_predicted":2,"incorrect_reference":1,"incorrect_predicted":1,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"partial":{"precision":0.8333333333333334,"recall":0.75,"f1":0.7894736842105263,"possible":2,"actual":3,"correct_reference":1,"correct_predicted":2,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":1,"partial_predicted":1,"missed":0,"spurious":0},"type":{"precision":0.6666666666666666,"recall":1.0,"f1":0.8,"possible":2,"actual":3,"correct_reference":2,"correct_predicted":2,"incorrect_reference":0,"incorrect_predicted":1,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0}}},"macro":{"strict":{"precision":0.4444444444444444,"precision_labels":3,"recall":0.3333333333333333,"recall_labels":3,"f1":0.35555555555555557,"f1_labels":3,"labels":3},"exact":{"precision":0.5555555555555555,"precision_labels":3,"recall":0.5,"recall_labels":3,"f1":0.5238095238095238,"f1_labels":3,"labels":3},"partial":{"precision":0.6111111111111112,"precision_labels":3,"recall":0.5833333333333334,"recall_labels":3,"f1":0.5964912280701754,"f1_labels":3,"labels":3},"type":{"precision":0.5555555555555555,"precision_labels":3,"recall":0.5,"recall_labels":3,"f1":0.48888888888888893,"f1_labels":3,"labels":3}},"weighted":{"strict":{"precision":0.5333333333333333,"precision_labels":3,"recall":0.4,"recall_labels":3,"f1":0.42666666666666664,"f1_labels":3,"labels":3},"exact":{"precision":0.6666666666666666,"precision_labels":3,"recall":0.6,"recall_labels":3,"f1":0.6285714285714286,"f1_labels":3,"labels":3},"partial":{"precision":0.7333333333333334,"precision_labels":3,"recall":0.7,"recall_labels":3,"f1":0.7157894736842105,"f1_labels":3,"labels":3},"type":{"precision":0.6666666666666666,"precision_labels":3,"recall":0.6,"recall_labels":3,"f1":0.5866666666666667,"f1_labels":3,"labels":3}},"per_document":{"strict.precision":{"mean":0.375,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"strict.recall":{"mean":0.375,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"strict.f1":{"mean":0.375,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"exact.precision":{"mean":0.625,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"exact.recall":{"mean":0.625,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"exact.f1":{"mean":0.625,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"partial.precision":{"mean":0.6875,"std":0.4732423621500228,"min":0.0,"max":1.0,"documents":4,"se":0.2366211810750114},"partial.recall":{"mean":0.6875,"std":0.4732423621500228,"min":0.0,"max":1.0,"documents":4,"se":0.2366211810750114},"partial.f1":{"mean":0.6875,"std":0.4732423621500228,"min":0.0,"max":1.0,"documents":4,"se":0.2366211810750114},"type.precision":{"mean":0.5,"std":0.5773502691896257,"min":0.0,"max":1.0,"documents":4,"se":0.28867513459481287},"type.recall":{"mean":0.5,"std":0.5773502691896257,"min":0.0,"max":1.0,"documents":4,"se":0.28867513459481287},"type.f1":{"mean":0.5,"std":0.5773502691896257,"min":0.0,"max":1.0,"documents":4,"se":0.28867513459481287},"tokens.accuracy":{"mean":0.6041666666666666,"std":0.42695628191498325,"min":0.0,"max":1.0,"documents":4,"se":0.21347814095749162}},"confusion":[{"reference":"LOC","predicted":"LOC","count":1},{"reference":"LOC","predicted":"PER","count":1},{"reference":"ORG","predicted":null,"count":1},{"reference":"PER","predicted":"PER","count":2},{"reference":null,"predicted":"ORG","count":1}],"findings":{"counts":{"correct":2,"wrong_type":1,"wrong_boundary":1,"wrong_type_and_boundary":0,"missed":1,"spurious":1}},"warnings":[{"code":"scheme-detected","count":1,"message":"The reference is read as IOB2 (5 spans, tags with B-, I-; every tag fits)."},{"code":"scheme-detected","count":1,"message":"The prediction is read as IOB2, like the reference (5 spans, tags with B-; every tag fits)."}]}','{}','{"recipe":{"task":"ner","arguments":{"profile":null,"options":{}}},"resampling":null,"by":[],"unit":null}');
CREATE TABLE scores (
	run INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	value FLOAT, 
	low FLOAT, 
	high FLOAT, 
	CONSTRAINT pk_scores PRIMARY KEY (run, path), 
	CONSTRAINT fk_scores_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "scores" VALUES(1,'strict.precision',0.4,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.recall',0.4,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.f1',0.4,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.possible',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.actual',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.correct',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.incorrect',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.partial',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'strict.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.precision',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.recall',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.f1',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.possible',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.actual',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.correct',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.incorrect',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.partial',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'exact.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.precision',0.7,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.recall',0.7,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.f1',0.7,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.possible',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.actual',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.correct',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.incorrect',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.partial',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'partial.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.precision',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.recall',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.f1',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.possible',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.actual',5.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.correct',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.incorrect',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.partial',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'type.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'tokens.accuracy',6.36363636363636353543e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'tokens.correct',7.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'tokens.total',11.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.precision',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.recall',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.f1',6.66666666666666629659e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.incorrect_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.precision',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.recall',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.f1',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.correct_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.correct_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.precision',3.33333333333333314829e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.recall',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.f1',0.4,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.actual',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.incorrect_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.incorrect_predicted',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.precision',4.44444444444444419772e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.precision',5.33333333333333325931e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.recall',3.33333333333333314829e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.recall',0.4,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.f1',3.55555555555555569124e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.f1',4.26666666666666638541e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.strict.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.strict.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.precision',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.recall',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.f1',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.correct_reference',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.precision',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.recall',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.f1',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.correct_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.correct_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.precision',6.66666666666666629659e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.recall',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.f1',5.7142857142857139685e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.actual',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.correct_predicted',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.incorrect_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.incorrect_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.precision',5.55555555555555469204e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.precision',6.66666666666666629659e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.recall',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.recall',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.f1',5.23809523809523835957e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.f1',6.2857142857142855874e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.exact.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.exact.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.precision',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.recall',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.f1',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.correct_reference',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.precision',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.recall',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.f1',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.correct_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.correct_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.precision',8.3333333333333337034e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.recall',0.75,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.f1',7.89473684210526327476e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.actual',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.correct_predicted',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.partial_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.partial_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.precision',6.11111111111111160454e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.precision',7.33333333333333392545e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.recall',5.8333333333333337034e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.recall',0.7,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.f1',5.96491228070175405484e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.f1',7.1578947368421053099e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.partial.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.partial.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.precision',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.recall',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.f1',6.66666666666666629659e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.correct_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.correct_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.incorrect_reference',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.precision',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.recall',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.f1',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.possible',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.actual',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.correct_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.correct_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.incorrect_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.precision',6.66666666666666629659e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.recall',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.f1',0.8,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.possible',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.actual',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.correct_reference',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.correct_predicted',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.incorrect_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.incorrect_predicted',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.partial_reference',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.partial_predicted',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.missed',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.spurious',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.precision',5.55555555555555469204e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.precision',6.66666666666666629659e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.precision_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.recall',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.recall',0.6,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.recall_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.f1',4.88888888888888928363e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.f1',5.86666666666666669627e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.f1_labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'macro.type.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'weighted.type.labels',3.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.correct',2.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.wrong_type',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.wrong_boundary',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.wrong_type_and_boundary',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.missed',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'findings.spurious',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.mean',0.375,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.std',4.78713553878169051358e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.se',2.39356776939084525679e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.mean',0.375,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.std',4.78713553878169051358e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.se',2.39356776939084525679e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.mean',0.375,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.std',4.78713553878169051358e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.se',2.39356776939084525679e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.mean',0.625,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.std',4.78713553878169051358e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.se',2.39356776939084525679e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.mean',0.625,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.std',4.78713553878169051358e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.se',2.39356776939084525679e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.mean',0.625,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.std',4.78713553878169051358e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.se',2.39356776939084525679e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.mean',0.6875,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.std',4.73242362150022799482e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.se',2.36621181075011399741e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.mean',0.6875,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.std',4.73242362150022799482e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.se',2.36621181075011399741e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.mean',0.6875,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.std',4.73242362150022799482e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.se',2.36621181075011399741e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.mean',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.std',5.77350269189625731058e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.se',2.88675134594812865529e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.mean',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.std',5.77350269189625731058e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.se',2.88675134594812865529e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.mean',0.5,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.std',5.77350269189625731058e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.se',2.88675134594812865529e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.mean',6.04166666666666629659e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.std',4.26956281914983248881e-01,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.min',0.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.max',1.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.documents',4.0,NULL,NULL);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.se',2.1347814095749162444e-01,NULL,NULL);
CREATE TABLE sliced_findings (
	run INTEGER NOT NULL, 
	slice INTEGER NOT NULL, 
	first INTEGER NOT NULL, 
	last INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_sliced_findings PRIMARY KEY (run, slice, first), 
	CONSTRAINT fk_sliced_findings_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "sliced_findings" VALUES(1,0,1,22,X'01000000040000000A0000000D0000001000000013000000160000000100000004000000090000000B0000000D0000000300000006000000');
INSERT INTO "sliced_findings" VALUES(1,1,1,23,X'01000000020000000300000004000000050000000600000008000000090000000A0000000B0000000C0000000D0000000F00000010000000110000001200000013000000140000001600000017000000010000000200000003000000040000000500000006000000070000000800000009000000030000000A0000000B000000030000000D0000000100000002000000030000000E0000000600000003000000');
INSERT INTO "sliced_findings" VALUES(1,2,2,23,X'0200000005000000080000000B00000011000000140000001700000002000000050000000700000003000000010000000E00000003000000');
INSERT INTO "sliced_findings" VALUES(1,3,3,18,X'0300000006000000090000000C0000000F000000120000000300000006000000080000000A0000000300000002000000');
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
CREATE INDEX ix_finding_slices_run_slice_column_value ON finding_slices (run, slice_column, value);
COMMIT;
