BEGIN TRANSACTION;
CREATE TABLE digests (
	run INTEGER NOT NULL, 
	part TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	CONSTRAINT pk_digests PRIMARY KEY (run, part), 
	CONSTRAINT fk_digests_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "digests" VALUES(1,'summary',X'E7E0B121DDC4DFD3C5D300BBFA71C785');
INSERT INTO "digests" VALUES(1,'row',X'25E4D17136628513E2F9D03EFFEEF442');
INSERT INTO "digests" VALUES(1,'inputs',X'CAE66941D9EFBD404E4D88758EA67670');
INSERT INTO "digests" VALUES(1,'tags',X'FA8F76B92A1F850E134A105A42CAB9AC');
INSERT INTO "digests" VALUES(1,'scores',X'AB89B1EC90E9323F5DD181BBD04D886A');
INSERT INTO "digests" VALUES(1,'counts',X'96AB7CF01707A24870698861AA4DD041');
INSERT INTO "digests" VALUES(1,'findings',X'EAD4D4A0A75319CCAD3DFD533991A32B');
INSERT INTO "digests" VALUES(1,'finding_groups',X'FA8CDFF01720FB015A65D38121FF7289');
INSERT INTO "digests" VALUES(1,'finding_slices',X'5535D6BC3E7D82A704A80522C79036DA');
INSERT INTO "digests" VALUES(1,'run',X'AD028C722967C187221886BFA6836B34');
INSERT INTO "digests" VALUES(2,'summary',X'60D07291BF94B1D553B35C050CAE77DD');
INSERT INTO "digests" VALUES(2,'row',X'BA675994F03A0454B4C0B77D76256E49');
INSERT INTO "digests" VALUES(2,'inputs',X'CAE66941D9EFBD404E4D88758EA67670');
INSERT INTO "digests" VALUES(2,'tags',X'CAE66941D9EFBD404E4D88758EA67670');
INSERT INTO "digests" VALUES(2,'scores',X'354AC1E2B1758178A61C0DE7467FEF38');
INSERT INTO "digests" VALUES(2,'counts',X'FBA2D59B28FC2706993ECE173F572C24');
INSERT INTO "digests" VALUES(2,'ranking',X'419477FC864EB41EB71B22AB96C2265A');
INSERT INTO "digests" VALUES(2,'findings',X'CAE66941D9EFBD404E4D88758EA67670');
INSERT INTO "digests" VALUES(2,'finding_groups',X'CAE66941D9EFBD404E4D88758EA67670');
INSERT INTO "digests" VALUES(2,'finding_slices',X'CAE66941D9EFBD404E4D88758EA67670');
INSERT INTO "digests" VALUES(2,'run',X'61A8E6DF595DF1D09997BBE3ADC66631');
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
INSERT INTO "finding_groups" VALUES(1,1,'missed','PER',NULL,1);
INSERT INTO "finding_groups" VALUES(1,2,'spurious','PER',NULL,1);
INSERT INTO "finding_groups" VALUES(1,3,'split',NULL,NULL,1);
INSERT INTO "finding_groups" VALUES(1,4,'wrong_type','LOC','PER',1);
CREATE TABLE finding_slices (
	run INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	slice_column TEXT NOT NULL, 
	value TEXT NOT NULL, 
	count BIGINT NOT NULL, 
	CONSTRAINT pk_finding_slices PRIMARY KEY (run, number), 
	CONSTRAINT fk_finding_slices_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "finding_slices" VALUES(1,0,'genre','web',2);
INSERT INTO "finding_slices" VALUES(1,1,'author','ж0',4);
INSERT INTO "finding_slices" VALUES(1,2,'genre','U.S.',1);
INSERT INTO "finding_slices" VALUES(1,3,'genre','news',1);
CREATE TABLE findings (
	run INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	finding_group INTEGER NOT NULL, 
	document TEXT NOT NULL, 
	place TEXT NOT NULL, 
	payload JSON NOT NULL, checksum BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_findings PRIMARY KEY (run, position), 
	CONSTRAINT fk_findings_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "findings" VALUES(1,0,0,'1','system.conll:1','{"marks":[["reference","PER",3,4,null,null],["predicted","PER",3,5,null,null]],"more":{"token":"т0"}}',1159611490);
INSERT INTO "findings" VALUES(1,1,1,'1','system.conll:2','{"marks":[["reference","PER",3,4,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}',1790139199);
INSERT INTO "findings" VALUES(1,2,2,'1','system.conll:3','{"marks":[["predicted","PER",3,5,null,null]],"more":{"slices":{"genre":"U.S.","author":"ж0"}}}',1065842693);
INSERT INTO "findings" VALUES(1,3,3,'2','system.conll:4','{"marks":[["reference",null,3,4,null,null],["predicted",null,3,5,null,null]],"more":{"slices":{"genre":"news","author":"ж0"}}}',1107685105);
INSERT INTO "findings" VALUES(1,4,4,'2','system.conll:5','{"marks":[["reference","LOC",3,4,null,null],["predicted","PER",3,5,null,null]],"more":{"slices":{"genre":"web","author":"ж0"}}}',2050796911);
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
INSERT INTO "isogloss_schema" VALUES('0004');
CREATE TABLE packed (
	run INTEGER NOT NULL, 
	what TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	CONSTRAINT pk_packed PRIMARY KEY (run, what, position), 
	CONSTRAINT fk_packed_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "packed" VALUES(1,'counts',0,X'0101CBCA4F8BA463656C6C96A37C7531910AA37C7531A5706C61696E00C4127801636064616065606265600600006B0015A676616C75657396A37C7531920A05A37C7531A5706C61696E00C42278016360606060044210020310CD08E300D94C0CCC20820944B03000390001B20019A86D6561737572656496A33C663893040002A33C6638A5706C61696E00C4087801030000000001A3726F7796A33C6938910AA37C7531A5737465707300C40F780163606060044220020000180004A5706172747392A97265666572656E6365A9707265646963746564A7636F6C756D6E7395AB73616D655F626F756E6473AB6F7665726C617070696E67A8756E706169726564AE746F6B656E735F636F7272656374AC746F6B656E735F746F74616CA563656C6C739692C0C092C0A34F524792A34C4F43A34C4F4392A34C4F43A350455292A34F5247C092A3504552A3504552A86D6561737572657390A664747970657392A33C6938A37C7531A46B696E6496A33C69389104A37C7531A5706C61696E00C40C780163626066040000130007A9646F63756D656E747396A33C69389104A37C7531A5737465707300C40C7801636064640400000A0004');
INSERT INTO "packed" VALUES(2,'counts',0,X'01858D2AC68BA463656C6C96A37C75319103A37C7531A5706C61696E00C40B7801636062040000080004A676616C75657396A37C7531920301A37C7531A5706C61696E01C40B7801636060000000030001A86D6561737572656496A33C663893030002A33C6638A5706C61696E00C4087801030000000001A3726F7796A33C69389103A37C7531A5737465707300C40B7801636064040000060003A5706172747392A97265666572656E6365A9707265646963746564A7636F6C756D6E7391A9646F63756D656E7473A563656C6C739392A161A16192A162A16192A162A162A86D6561737572657390A664747970657392A33C6938A37C7531A46B696E6496A33C69389103A37C7531A5706C61696E00C40B7801636062040000080004A9646F63756D656E747396A33C69389103A37C7531A5737465707300C40B7801636064040000060003');
INSERT INTO "packed" VALUES(2,'ranking',0,X'0197A5DD9F83A7636C617373657392A161A162A9646F63756D656E74739196A33C69389103A37C7531A5737465707300C40B7801636064040000060003A7636F6C756D6E7392930096A33C66389103A33C6638A5706C61696E00C41678013B3B6BD699993391D19B9B3BEDEDED01C8F80F3396A37C62319103A37C7531A5706C61696E00C40978016B000000810081930096A33C66389103A33C6638A5706C61696E00C41678019B653C6BA6F14C6474F2F24B7B7B7B008FEA0BA396A37C62319103A37C7531A5706C61696E00C40978014B000000610061');
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
INSERT INTO "runs" VALUES(1,'7e35a175c6f14cc3a9ab157487e56ec1','monday','ner','prediction','toy','2026-11-22 18:38:25.092435','0.1.0',NULL,'ner|scheme:iob2|repair:begin|beta:1|zero-division:undefined|macro-over:union|unit:document|confidence:0.9|resamples:50|seed:12345|method:bootstrap-percentile|version:0.1.0','{"scheme":"iob2","repair":"begin","beta":1.0,"zero-division":"undefined","macro-over":"union","unit":"document","confidence":0.9,"resamples":50,"seed":12345,"method":"bootstrap-percentile"}',4,'f5c2d24080f0fd20d2b2a2eacefe0cf9a457d72a70c3611b304433229976e425','strict.f1',1,'{"task":"ner","signature":"ner|scheme:iob2|repair:begin|beta:1|zero-division:undefined|macro-over:union|unit:document|confidence:0.9|resamples:50|seed:12345|method:bootstrap-percentile|version:0.1.0","version":"0.1.0","system":"prediction","profile":null,"documents":4,"scores":{"strict":{"precision":0.4,"recall":0.4,"f1":0.4,"possible":5,"actual":5,"correct":2,"incorrect":2,"partial":0,"missed":1,"spurious":1},"exact":{"precision":0.6,"recall":0.6,"f1":0.6,"possible":5,"actual":5,"correct":3,"incorrect":1,"partial":0,"missed":1,"spurious":1},"partial":{"precision":0.7,"recall":0.7,"f1":0.7,"possible":5,"actual":5,"correct":3,"incorrect":0,"partial":1,"missed":1,"spurious":1},"type":{"precision":0.6,"recall":0.6,"f1":0.6,"possible":5,"actual":5,"correct":3,"incorrect":1,"partial":0,"missed":1,"spurious":1},"tokens":{"accuracy":0.6363636363636364,"correct":7,"total":11}},"by_label":{"LOC":{"strict":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":1,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"exact":{"precision":1.0,"recall":1.0,"f1":1.0,"possible":2,"actual":1,"correct_reference":2,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"partial":{"precision":1.0,"recall":1.0,"f1":1.0,"possible":2,"actual":1,"correct_reference":2,"correct_predicted":1,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"type":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"possible":2,"actual":1,"correct_reference":1,"correct_predicted":1,"incorrect_reference":1,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0}},"ORG":{"strict":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1},"exact":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1},"partial":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1},"type":{"precision":0.0,"recall":0.0,"f1":0.0,"possible":1,"actual":1,"correct_reference":0,"correct_predicted":0,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":0,"partial_predicted":0,"missed":1,"spurious":1}},"PER":{"strict":{"precision":0.3333333333333333,"recall":0.5,"f1":0.4,"possible":2,"actual":3,"correct_reference":1,"correct_predicted":1,"incorrect_reference":1,"incorrect_predicted":2,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"exact":{"precision":0.6666666666666666,"recall":0.5,"f1":0.5714285714285714,"possible":2,"actual":3,"correct_reference":1,"correct_predicted":2,"incorrect_reference":1,"incorrect_predicted":1,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0},"partial":{"precision":0.8333333333333334,"recall":0.75,"f1":0.7894736842105263,"possible":2,"actual":3,"correct_reference":1,"correct_predicted":2,"incorrect_reference":0,"incorrect_predicted":0,"partial_reference":1,"partial_predicted":1,"missed":0,"spurious":0},"type":{"precision":0.6666666666666666,"recall":1.0,"f1":0.8,"possible":2,"actual":3,"correct_reference":2,"correct_predicted":2,"incorrect_reference":0,"incorrect_predicted":1,"partial_reference":0,"partial_predicted":0,"missed":0,"spurious":0}}},"macro":{"strict":{"precision":0.4444444444444444,"precision_labels":3,"recall":0.3333333333333333,"recall_labels":3,"f1":0.35555555555555557,"f1_labels":3,"labels":3},"exact":{"precision":0.5555555555555555,"precision_labels":3,"recall":0.5,"recall_labels":3,"f1":0.5238095238095238,"f1_labels":3,"labels":3},"partial":{"precision":0.6111111111111112,"precision_labels":3,"recall":0.5833333333333334,"recall_labels":3,"f1":0.5964912280701754,"f1_labels":3,"labels":3},"type":{"precision":0.5555555555555555,"precision_labels":3,"recall":0.5,"recall_labels":3,"f1":0.48888888888888893,"f1_labels":3,"labels":3}},"weighted":{"strict":{"precision":0.5333333333333333,"precision_labels":3,"recall":0.4,"recall_labels":3,"f1":0.42666666666666664,"f1_labels":3,"labels":3},"exact":{"precision":0.6666666666666666,"precision_labels":3,"recall":0.6,"recall_labels":3,"f1":0.6285714285714286,"f1_labels":3,"labels":3},"partial":{"precision":0.7333333333333334,"precision_labels":3,"recall":0.7,"recall_labels":3,"f1":0.7157894736842105,"f1_labels":3,"labels":3},"type":{"precision":0.6666666666666666,"precision_labels":3,"recall":0.6,"recall_labels":3,"f1":0.5866666666666667,"f1_labels":3,"labels":3}},"per_document":{"strict.precision":{"mean":0.375,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"strict.recall":{"mean":0.375,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"strict.f1":{"mean":0.375,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"exact.precision":{"mean":0.625,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"exact.recall":{"mean":0.625,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"exact.f1":{"mean":0.625,"std":0.47871355387816905,"min":0.0,"max":1.0,"documents":4,"se":0.23935677693908453},"partial.precision":{"mean":0.6875,"std":0.4732423621500228,"min":0.0,"max":1.0,"documents":4,"se":0.2366211810750114},"partial.recall":{"mean":0.6875,"std":0.4732423621500228,"min":0.0,"max":1.0,"documents":4,"se":0.2366211810750114},"partial.f1":{"mean":0.6875,"std":0.4732423621500228,"min":0.0,"max":1.0,"documents":4,"se":0.2366211810750114},"type.precision":{"mean":0.5,"std":0.5773502691896257,"min":0.0,"max":1.0,"documents":4,"se":0.28867513459481287},"type.recall":{"mean":0.5,"std":0.5773502691896257,"min":0.0,"max":1.0,"documents":4,"se":0.28867513459481287},"type.f1":{"mean":0.5,"std":0.5773502691896257,"min":0.0,"max":1.0,"documents":4,"se":0.28867513459481287},"tokens.accuracy":{"mean":0.6041666666666666,"std":0.42695628191498325,"min":0.0,"max":1.0,"documents":4,"se":0.21347814095749162}},"intervals":{"strict.precision":{"low":0.08999999999999986,"high":0.7774999999999999,"level":0.9,"method":"bootstrap"},"strict.recall":{"low":0.08999999999999986,"high":0.7774999999999999,"level":0.9,"method":"bootstrap"},"strict.f1":{"low":0.08999999999999986,"high":0.7774999999999999,"level":0.9,"method":"bootstrap"},"exact.precision":{"low":0.22249999999999998,"high":1.0,"level":0.9,"method":"bootstrap"},"exact.recall":{"low":0.22249999999999998,"high":1.0,"level":0.9,"method":"bootstrap"},"exact.f1":{"low":0.22249999999999998,"high":1.0,"level":0.9,"method":"bootstrap"},"partial.precision":{"low":0.3,"high":1.0,"level":0.9,"method":"bootstrap"},"partial.recall":{"low":0.3,"high":1.0,"level":0.9,"method":"bootstrap"},"partial.f1":{"low":0.3,"high":1.0,"level":0.9,"method":"bootstrap"},"type.precision":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"type.recall":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"type.f1":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"tokens.accuracy":{"low":0.3,"high":0.8949999999999999,"level":0.9,"method":"bootstrap"},"by_label.LOC.strict.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":12},"by_label.LOC.strict.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.LOC.strict.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.ORG.strict.precision":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.strict.recall":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.strict.f1":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.PER.strict.precision":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.strict.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":3},"by_label.PER.strict.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.strict.precision":{"low":0.14999999999999974,"high":0.8187499999999996,"level":0.9,"method":"bootstrap"},"weighted.strict.precision":{"low":0.2,"high":0.7799999999999997,"level":0.9,"method":"bootstrap","undefined":1},"macro.strict.recall":{"low":0.04999999999999992,"high":0.8187499999999996,"level":0.9,"method":"bootstrap"},"weighted.strict.recall":{"low":0.08999999999999986,"high":0.7774999999999999,"level":0.9,"method":"bootstrap"},"macro.strict.f1":{"low":0.07499999999999987,"high":0.8187499999999996,"level":0.9,"method":"bootstrap"},"weighted.strict.f1":{"low":0.08999999999999986,"high":0.7399999999999997,"level":0.9,"method":"bootstrap"},"by_label.LOC.exact.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":12},"by_label.LOC.exact.recall":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.LOC.exact.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.ORG.exact.precision":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.exact.recall":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.exact.f1":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.PER.exact.precision":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.exact.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":3},"by_label.PER.exact.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.exact.precision":{"low":0.3333333333333333,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.exact.precision":{"low":0.2,"high":1.0,"level":0.9,"method":"bootstrap","undefined":1},"macro.exact.recall":{"low":0.3333333333333333,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.exact.recall":{"low":0.22249999999999998,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.exact.f1":{"low":0.14999999999999974,"high":0.8650735294117646,"level":0.9,"method":"bootstrap"},"weighted.exact.f1":{"low":0.08999999999999986,"high":0.8235294117647058,"level":0.9,"method":"bootstrap"},"by_label.LOC.partial.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":12},"by_label.LOC.partial.recall":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.LOC.partial.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.ORG.partial.precision":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.partial.recall":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.partial.f1":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.PER.partial.precision":{"low":0.5,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.partial.recall":{"low":0.5,"high":1.0,"level":0.9,"method":"bootstrap","undefined":3},"by_label.PER.partial.f1":{"low":0.22499999999999964,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.partial.precision":{"low":0.5,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.partial.precision":{"low":0.26999999999999996,"high":1.0,"level":0.9,"method":"bootstrap","undefined":1},"macro.partial.recall":{"low":0.5,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.partial.recall":{"low":0.3,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.partial.f1":{"low":0.14999999999999974,"high":0.9326981707317072,"level":0.9,"method":"bootstrap"},"weighted.partial.f1":{"low":0.11249999999999982,"high":0.9121951219512194,"level":0.9,"method":"bootstrap"},"by_label.LOC.type.precision":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":12},"by_label.LOC.type.recall":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.LOC.type.f1":{"low":0.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":5},"by_label.ORG.type.precision":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.type.recall":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.ORG.type.f1":{"low":0.0,"high":0.0,"level":0.9,"method":"bootstrap","undefined":21},"by_label.PER.type.precision":{"low":0.14999999999999974,"high":1.0,"level":0.9,"method":"bootstrap"},"by_label.PER.type.recall":{"low":1.0,"high":1.0,"level":0.9,"method":"bootstrap","undefined":3},"by_label.PER.type.f1":{"low":0.22499999999999964,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.type.precision":{"low":0.14999999999999974,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.type.precision":{"low":0.30999999999999994,"high":1.0,"level":0.9,"method":"bootstrap","undefined":1},"macro.type.recall":{"low":0.14999999999999974,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.type.recall":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"macro.type.f1":{"low":0.11999999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"weighted.type.f1":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.strict.precision.mean":{"low":0.05624999999999991,"high":0.8187499999999996,"level":0.9,"method":"bootstrap"},"per_document.strict.recall.mean":{"low":0.05624999999999991,"high":0.8187499999999996,"level":0.9,"method":"bootstrap"},"per_document.strict.f1.mean":{"low":0.05624999999999991,"high":0.8187499999999996,"level":0.9,"method":"bootstrap"},"per_document.exact.precision.mean":{"low":0.1812499999999999,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.exact.recall.mean":{"low":0.1812499999999999,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.exact.f1.mean":{"low":0.1812499999999999,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.partial.precision.mean":{"low":0.21562499999999996,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.partial.recall.mean":{"low":0.21562499999999996,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.partial.f1.mean":{"low":0.21562499999999996,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.type.precision.mean":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.type.recall.mean":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.type.f1.mean":{"low":0.11249999999999982,"high":1.0,"level":0.9,"method":"bootstrap"},"per_document.tokens.accuracy.mean":{"low":0.21562499999999996,"high":0.928125,"level":0.9,"method":"bootstrap"}},"confusion":[{"reference":"LOC","predicted":"LOC","count":1},{"reference":"LOC","predicted":"PER","count":1},{"reference":"ORG","predicted":null,"count":1},{"reference":"PER","predicted":"PER","count":2},{"reference":null,"predicted":"ORG","count":1}],"findings":{"counts":{"correct":2,"wrong_type":1,"wrong_boundary":1,"wrong_type_and_boundary":0,"missed":1,"spurious":1}},"warnings":[{"code":"scheme-detected","count":1,"message":"The reference is read as IOB2 (5 spans, tags with B-, I-; every tag fits)."},{"code":"scheme-detected","count":1,"message":"The prediction is read as IOB2, like the reference (5 spans, tags with B-; every tag fits)."},{"code":"few-resamples","count":1,"message":"with fewer than 100 resamples the bounds of intervals are unstable: 1,000 are usual"}]}','{}','{"recipe":{"task":"ner","arguments":{"profile":null,"options":{}}},"resampling":{"level":0.9,"resamples":50,"seed":12345,"method":"bootstrap"},"by":[],"unit":null}');
INSERT INTO "runs" VALUES(2,'4bac2dee028b4859a79ba02e61c68035','ranked','classification','scores',NULL,'2026-11-22 18:38:25.231042','0.1.0',NULL,'classification|labels:exclusive|beta:1|zero-division:undefined|macro-over:union|version:0.1.0','{"labels":"exclusive","beta":1.0,"zero-division":"undefined","macro-over":"union"}',3,'e4c4c540e23d4b5ca05422ac89bca102f894a0b3378369ea2cc9d5eb71d8dc17','overall.accuracy',0,'{"task":"classification","signature":"classification|labels:exclusive|beta:1|zero-division:undefined|macro-over:union|version:0.1.0","version":"0.1.0","system":"scores","profile":null,"documents":3,"scores":{"overall":{"accuracy":0.6666666666666666,"correct":2,"total":3},"micro":{"precision":0.6666666666666666,"recall":0.6666666666666666,"f1":0.6666666666666666},"roc_auc":{"macro":1.0,"weighted":1.0,"micro":0.8888888888888888,"labels":2},"average_precision":{"macro":1.0,"weighted":1.0,"micro":0.9166666666666666,"labels":2}},"by_label":{"a":{"label":{"precision":0.5,"recall":1.0,"f1":0.6666666666666666,"tp":1,"fp":1,"fn":0,"tn":1,"support":1},"ranking":{"roc_auc":1.0,"average_precision":1.0}},"b":{"label":{"precision":1.0,"recall":0.5,"f1":0.6666666666666666,"tp":1,"fp":0,"fn":1,"tn":1,"support":2},"ranking":{"roc_auc":1.0,"average_precision":1.0}}},"macro":{"label":{"precision":0.75,"precision_labels":2,"recall":0.75,"recall_labels":2,"f1":0.6666666666666666,"f1_labels":2,"labels":2}},"weighted":{"label":{"precision":0.8333333333333334,"precision_labels":2,"recall":0.6666666666666666,"recall_labels":2,"f1":0.6666666666666666,"f1_labels":2,"labels":2}},"per_document":{"overall.accuracy":{"mean":0.6666666666666666,"std":0.5773502691896258,"min":0.0,"max":1.0,"documents":3,"se":0.33333333333333337},"micro.precision":{"mean":0.6666666666666666,"std":0.5773502691896258,"min":0.0,"max":1.0,"documents":3,"se":0.33333333333333337},"micro.recall":{"mean":0.6666666666666666,"std":0.5773502691896258,"min":0.0,"max":1.0,"documents":3,"se":0.33333333333333337},"micro.f1":{"mean":0.6666666666666666,"std":0.5773502691896258,"min":0.0,"max":1.0,"documents":3,"se":0.33333333333333337}},"confusion":[{"reference":"a","predicted":"a","count":1},{"reference":"b","predicted":"a","count":1},{"reference":"b","predicted":"b","count":1}],"findings":{"counts":{"correct":2,"wrong_label":1,"missed":0,"spurious":0}},"warnings":[{"code":"labels-detected","count":1,"message":"The reference has one label per document, so labels exclude each other and the highest score decides."}]}','{}','{"recipe":{"task":"classification","arguments":{"definition":{"multi_label":null,"profile":null,"zero_division":null,"beta":1.0,"macro_over":"union","best_threshold":false,"positive_label":null,"threshold":0.5,"thresholds":{}},"labels":["a","b"],"multi_label":false}},"resampling":null,"by":[],"unit":null}');
CREATE TABLE scores (
	run INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	value FLOAT, 
	low FLOAT, 
	high FLOAT, checksum BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_scores PRIMARY KEY (run, path), 
	CONSTRAINT fk_scores_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "scores" VALUES(1,'strict.precision',0.4,8.99999999999998578914e-02,7.77499999999999857891e-01,2824784993);
INSERT INTO "scores" VALUES(1,'strict.recall',0.4,8.99999999999998578914e-02,7.77499999999999857891e-01,3888184398);
INSERT INTO "scores" VALUES(1,'strict.f1',0.4,8.99999999999998578914e-02,7.77499999999999857891e-01,3967792932);
INSERT INTO "scores" VALUES(1,'strict.possible',5.0,NULL,NULL,126060798);
INSERT INTO "scores" VALUES(1,'strict.actual',5.0,NULL,NULL,3796896);
INSERT INTO "scores" VALUES(1,'strict.correct',2.0,NULL,NULL,2022547964);
INSERT INTO "scores" VALUES(1,'strict.incorrect',2.0,NULL,NULL,3878207157);
INSERT INTO "scores" VALUES(1,'strict.partial',0.0,NULL,NULL,24228902);
INSERT INTO "scores" VALUES(1,'strict.missed',1.0,NULL,NULL,2759617515);
INSERT INTO "scores" VALUES(1,'strict.spurious',1.0,NULL,NULL,1921010233);
INSERT INTO "scores" VALUES(1,'exact.precision',0.6,2.22499999999999975575e-01,1.0,3982452464);
INSERT INTO "scores" VALUES(1,'exact.recall',0.6,2.22499999999999975575e-01,1.0,2295335330);
INSERT INTO "scores" VALUES(1,'exact.f1',0.6,2.22499999999999975575e-01,1.0,2575344603);
INSERT INTO "scores" VALUES(1,'exact.possible',5.0,NULL,NULL,4105374516);
INSERT INTO "scores" VALUES(1,'exact.actual',5.0,NULL,NULL,1758328683);
INSERT INTO "scores" VALUES(1,'exact.correct',3.0,NULL,NULL,2555875634);
INSERT INTO "scores" VALUES(1,'exact.incorrect',1.0,NULL,NULL,1907059005);
INSERT INTO "scores" VALUES(1,'exact.partial',0.0,NULL,NULL,1517496048);
INSERT INTO "scores" VALUES(1,'exact.missed',1.0,NULL,NULL,3431494432);
INSERT INTO "scores" VALUES(1,'exact.spurious',1.0,NULL,NULL,2175846899);
INSERT INTO "scores" VALUES(1,'partial.precision',0.7,0.3,1.0,1020478786);
INSERT INTO "scores" VALUES(1,'partial.recall',0.7,0.3,1.0,747497295);
INSERT INTO "scores" VALUES(1,'partial.f1',0.7,0.3,1.0,787734392);
INSERT INTO "scores" VALUES(1,'partial.possible',5.0,NULL,NULL,3031951226);
INSERT INTO "scores" VALUES(1,'partial.actual',5.0,NULL,NULL,766684219);
INSERT INTO "scores" VALUES(1,'partial.correct',3.0,NULL,NULL,947795154);
INSERT INTO "scores" VALUES(1,'partial.incorrect',0.0,NULL,NULL,3792361740);
INSERT INTO "scores" VALUES(1,'partial.partial',1.0,NULL,NULL,4115962175);
INSERT INTO "scores" VALUES(1,'partial.missed',1.0,NULL,NULL,2314676336);
INSERT INTO "scores" VALUES(1,'partial.spurious',1.0,NULL,NULL,3249808829);
INSERT INTO "scores" VALUES(1,'type.precision',0.6,1.12499999999999822364e-01,1.0,3355944501);
INSERT INTO "scores" VALUES(1,'type.recall',0.6,1.12499999999999822364e-01,1.0,305322875);
INSERT INTO "scores" VALUES(1,'type.f1',0.6,1.12499999999999822364e-01,1.0,769990473);
INSERT INTO "scores" VALUES(1,'type.possible',5.0,NULL,NULL,3358486279);
INSERT INTO "scores" VALUES(1,'type.actual',5.0,NULL,NULL,3091975705);
INSERT INTO "scores" VALUES(1,'type.correct',3.0,NULL,NULL,2988417122);
INSERT INTO "scores" VALUES(1,'type.incorrect',1.0,NULL,NULL,1385980918);
INSERT INTO "scores" VALUES(1,'type.partial',0.0,NULL,NULL,1882920864);
INSERT INTO "scores" VALUES(1,'type.missed',1.0,NULL,NULL,470698578);
INSERT INTO "scores" VALUES(1,'type.spurious',1.0,NULL,NULL,3173887424);
INSERT INTO "scores" VALUES(1,'tokens.accuracy',6.36363636363636353543e-01,0.3,8.94999999999999906741e-01,461361499);
INSERT INTO "scores" VALUES(1,'tokens.correct',7.0,NULL,NULL,1067365604);
INSERT INTO "scores" VALUES(1,'tokens.total',11.0,NULL,NULL,4116781464);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.precision',1.0,1.0,1.0,524654559);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.recall',0.5,0.0,1.0,2936660472);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.f1',6.66666666666666629659e-01,0.0,1.0,1940008760);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.possible',2.0,NULL,NULL,4129613365);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.actual',1.0,NULL,NULL,2820222363);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.correct_reference',1.0,NULL,NULL,1910988770);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.correct_predicted',1.0,NULL,NULL,2662742938);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.incorrect_reference',1.0,NULL,NULL,2776072875);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.incorrect_predicted',0.0,NULL,NULL,1160314108);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.partial_reference',0.0,NULL,NULL,876702104);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.partial_predicted',0.0,NULL,NULL,3675262432);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.missed',0.0,NULL,NULL,1674231053);
INSERT INTO "scores" VALUES(1,'by_label.LOC.strict.spurious',0.0,NULL,NULL,2097491360);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.precision',0.0,0.0,0.0,3611517231);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.recall',0.0,0.0,0.0,1911258771);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.f1',0.0,0.0,0.0,1168059411);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.possible',1.0,NULL,NULL,966515076);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.actual',1.0,NULL,NULL,325628345);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.correct_reference',0.0,NULL,NULL,399115995);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.correct_predicted',0.0,NULL,NULL,4170932899);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.incorrect_reference',0.0,NULL,NULL,1496601690);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.incorrect_predicted',0.0,NULL,NULL,3060084770);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.partial_reference',0.0,NULL,NULL,1566714510);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.partial_predicted',0.0,NULL,NULL,2989706998);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.missed',1.0,NULL,NULL,3618978560);
INSERT INTO "scores" VALUES(1,'by_label.ORG.strict.spurious',1.0,NULL,NULL,738203057);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.precision',3.33333333333333314829e-01,0.0,1.0,2821329180);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.recall',0.5,0.0,1.0,732820655);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.f1',0.4,0.0,1.0,4173267301);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.possible',2.0,NULL,NULL,1023677233);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.actual',3.0,NULL,NULL,3230089895);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.correct_reference',1.0,NULL,NULL,789758763);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.correct_predicted',1.0,NULL,NULL,3225659219);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.incorrect_reference',1.0,NULL,NULL,1190555446);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.incorrect_predicted',2.0,NULL,NULL,940775105);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.partial_reference',0.0,NULL,NULL,1790244177);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.partial_predicted',0.0,NULL,NULL,2246414633);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.missed',0.0,NULL,NULL,557346214);
INSERT INTO "scores" VALUES(1,'by_label.PER.strict.spurious',0.0,NULL,NULL,3055933604);
INSERT INTO "scores" VALUES(1,'macro.strict.precision',4.44444444444444419772e-01,1.49999999999999744648e-01,8.18749999999999644728e-01,3251499370);
INSERT INTO "scores" VALUES(1,'macro.strict.precision_labels',3.0,NULL,NULL,3214673410);
INSERT INTO "scores" VALUES(1,'weighted.strict.precision',5.33333333333333325931e-01,0.2,7.79999999999999693578e-01,1075009108);
INSERT INTO "scores" VALUES(1,'weighted.strict.precision_labels',3.0,NULL,NULL,4081555634);
INSERT INTO "scores" VALUES(1,'macro.strict.recall',3.33333333333333314829e-01,4.99999999999999195088e-02,8.18749999999999644728e-01,907296700);
INSERT INTO "scores" VALUES(1,'macro.strict.recall_labels',3.0,NULL,NULL,1664031841);
INSERT INTO "scores" VALUES(1,'weighted.strict.recall',0.4,8.99999999999998578914e-02,7.77499999999999857891e-01,2100445279);
INSERT INTO "scores" VALUES(1,'weighted.strict.recall_labels',3.0,NULL,NULL,1780651321);
INSERT INTO "scores" VALUES(1,'macro.strict.f1',3.55555555555555569124e-01,7.49999999999998723243e-02,8.18749999999999644728e-01,2023244079);
INSERT INTO "scores" VALUES(1,'macro.strict.f1_labels',3.0,NULL,NULL,2226599949);
INSERT INTO "scores" VALUES(1,'weighted.strict.f1',4.26666666666666638541e-01,8.99999999999998578914e-02,7.39999999999999658051e-01,804507534);
INSERT INTO "scores" VALUES(1,'weighted.strict.f1_labels',3.0,NULL,NULL,1770192172);
INSERT INTO "scores" VALUES(1,'macro.strict.labels',3.0,NULL,NULL,2739514115);
INSERT INTO "scores" VALUES(1,'weighted.strict.labels',3.0,NULL,NULL,2653655815);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.precision',1.0,1.0,1.0,2475527824);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.recall',1.0,1.0,1.0,2748038710);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.f1',1.0,0.0,1.0,2816594530);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.possible',2.0,NULL,NULL,1529953472);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.actual',1.0,NULL,NULL,3163351788);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.correct_reference',2.0,NULL,NULL,2312745102);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.correct_predicted',1.0,NULL,NULL,4147956089);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.incorrect_reference',0.0,NULL,NULL,277223125);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.incorrect_predicted',0.0,NULL,NULL,4292309677);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.partial_reference',0.0,NULL,NULL,1573624699);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.partial_predicted',0.0,NULL,NULL,2996502275);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.missed',0.0,NULL,NULL,2002745978);
INSERT INTO "scores" VALUES(1,'by_label.LOC.exact.spurious',0.0,NULL,NULL,3490772821);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.precision',0.0,0.0,0.0,3425399271);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.recall',0.0,0.0,0.0,1015670893);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.f1',0.0,0.0,0.0,2684523735);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.possible',1.0,NULL,NULL,526258487);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.actual',1.0,NULL,NULL,3327642457);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.correct_reference',0.0,NULL,NULL,853696445);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.correct_predicted',0.0,NULL,NULL,3719510981);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.incorrect_reference',0.0,NULL,NULL,3829104839);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.incorrect_predicted',0.0,NULL,NULL,191554751);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.partial_reference',0.0,NULL,NULL,2018145256);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.partial_predicted',0.0,NULL,NULL,2535135120);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.missed',1.0,NULL,NULL,42615264);
INSERT INTO "scores" VALUES(1,'by_label.ORG.exact.spurious',1.0,NULL,NULL,180739330);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.precision',6.66666666666666629659e-01,0.0,1.0,3674305385);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.recall',0.5,0.0,1.0,2640566004);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.f1',5.7142857142857139685e-01,0.0,1.0,1767709265);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.possible',2.0,NULL,NULL,444052592);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.actual',3.0,NULL,NULL,3601371730);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.correct_reference',1.0,NULL,NULL,856189561);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.correct_predicted',2.0,NULL,NULL,1307382670);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.incorrect_reference',1.0,NULL,NULL,4251878258);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.incorrect_predicted',1.0,NULL,NULL,306177802);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.partial_reference',0.0,NULL,NULL,1991138307);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.partial_predicted',0.0,NULL,NULL,2583640187);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.missed',0.0,NULL,NULL,924302675);
INSERT INTO "scores" VALUES(1,'by_label.PER.exact.spurious',0.0,NULL,NULL,2438365157);
INSERT INTO "scores" VALUES(1,'macro.exact.precision',5.55555555555555469204e-01,3.33333333333333314829e-01,1.0,2006017945);
INSERT INTO "scores" VALUES(1,'macro.exact.precision_labels',3.0,NULL,NULL,4021876471);
INSERT INTO "scores" VALUES(1,'weighted.exact.precision',6.66666666666666629659e-01,0.2,1.0,3001619281);
INSERT INTO "scores" VALUES(1,'weighted.exact.precision_labels',3.0,NULL,NULL,3537936324);
INSERT INTO "scores" VALUES(1,'macro.exact.recall',0.5,3.33333333333333314829e-01,1.0,2556001933);
INSERT INTO "scores" VALUES(1,'macro.exact.recall_labels',3.0,NULL,NULL,330919621);
INSERT INTO "scores" VALUES(1,'weighted.exact.recall',0.6,2.22499999999999975575e-01,1.0,537021200);
INSERT INTO "scores" VALUES(1,'weighted.exact.recall_labels',3.0,NULL,NULL,1566159086);
INSERT INTO "scores" VALUES(1,'macro.exact.f1',5.23809523809523835957e-01,1.49999999999999744648e-01,8.65073529411764630125e-01,1294113044);
INSERT INTO "scores" VALUES(1,'macro.exact.f1_labels',3.0,NULL,NULL,1304154862);
INSERT INTO "scores" VALUES(1,'weighted.exact.f1',6.2857142857142855874e-01,8.99999999999998578914e-02,8.23529411764705843168e-01,167615859);
INSERT INTO "scores" VALUES(1,'weighted.exact.f1_labels',3.0,NULL,NULL,245020398);
INSERT INTO "scores" VALUES(1,'macro.exact.labels',3.0,NULL,NULL,4238525279);
INSERT INTO "scores" VALUES(1,'weighted.exact.labels',3.0,NULL,NULL,561529383);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.precision',1.0,1.0,1.0,3333444817);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.recall',1.0,1.0,1.0,1339929233);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.f1',1.0,0.0,1.0,542554191);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.possible',2.0,NULL,NULL,2641834761);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.actual',1.0,NULL,NULL,327452224);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.correct_reference',2.0,NULL,NULL,210101888);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.correct_predicted',1.0,NULL,NULL,1918934903);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.incorrect_reference',0.0,NULL,NULL,2285936096);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.incorrect_predicted',0.0,NULL,NULL,1729231256);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.partial_reference',0.0,NULL,NULL,3633827189);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.partial_predicted',0.0,NULL,NULL,935766285);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.missed',0.0,NULL,NULL,3629586134);
INSERT INTO "scores" VALUES(1,'by_label.LOC.partial.spurious',0.0,NULL,NULL,374798492);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.precision',0.0,0.0,0.0,2113737899);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.recall',0.0,0.0,0.0,1655390957);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.f1',0.0,0.0,0.0,3185275186);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.possible',1.0,NULL,NULL,3455858703);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.actual',1.0,NULL,NULL,3328161336);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.correct_reference',0.0,NULL,NULL,1719826226);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.correct_predicted',0.0,NULL,NULL,2312311626);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.incorrect_reference',0.0,NULL,NULL,3923259391);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.incorrect_predicted',0.0,NULL,NULL,109661063);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.partial_reference',0.0,NULL,NULL,740973415);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.partial_predicted',0.0,NULL,NULL,3279634207);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.missed',1.0,NULL,NULL,42089601);
INSERT INTO "scores" VALUES(1,'by_label.ORG.partial.spurious',1.0,NULL,NULL,3630691386);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.precision',8.3333333333333337034e-01,0.5,1.0,4030057604);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.recall',0.75,0.5,1.0,678254740);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.f1',7.89473684210526327476e-01,2.24999999999999644728e-01,1.0,1845048525);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.possible',2.0,NULL,NULL,2597443557);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.actual',3.0,NULL,NULL,2024714599);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.correct_reference',1.0,NULL,NULL,2144826503);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.correct_predicted',2.0,NULL,NULL,20057456);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.incorrect_reference',0.0,NULL,NULL,102626292);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.incorrect_predicted',0.0,NULL,NULL,3914110860);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.partial_reference',1.0,NULL,NULL,897538258);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.partial_predicted',1.0,NULL,NULL,3660463274);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.missed',0.0,NULL,NULL,2568068710);
INSERT INTO "scores" VALUES(1,'by_label.PER.partial.spurious',0.0,NULL,NULL,300948592);
INSERT INTO "scores" VALUES(1,'macro.partial.precision',6.11111111111111160454e-01,0.5,1.0,1452951508);
INSERT INTO "scores" VALUES(1,'macro.partial.precision_labels',3.0,NULL,NULL,163814713);
INSERT INTO "scores" VALUES(1,'weighted.partial.precision',7.33333333333333392545e-01,2.69999999999999962252e-01,1.0,3631108214);
INSERT INTO "scores" VALUES(1,'weighted.partial.precision_labels',3.0,NULL,NULL,1497585172);
INSERT INTO "scores" VALUES(1,'macro.partial.recall',5.8333333333333337034e-01,0.5,1.0,697725532);
INSERT INTO "scores" VALUES(1,'macro.partial.recall_labels',3.0,NULL,NULL,3214479548);
INSERT INTO "scores" VALUES(1,'weighted.partial.recall',0.7,0.3,1.0,3030535649);
INSERT INTO "scores" VALUES(1,'weighted.partial.recall_labels',3.0,NULL,NULL,2895266857);
INSERT INTO "scores" VALUES(1,'macro.partial.f1',5.96491228070175405484e-01,1.49999999999999744648e-01,9.32698170731707243419e-01,3537510785);
INSERT INTO "scores" VALUES(1,'macro.partial.f1_labels',3.0,NULL,NULL,1801499272);
INSERT INTO "scores" VALUES(1,'weighted.partial.f1',7.1578947368421053099e-01,1.12499999999999822364e-01,9.12195121951219434208e-01,3617780459);
INSERT INTO "scores" VALUES(1,'weighted.partial.f1_labels',3.0,NULL,NULL,2777841852);
INSERT INTO "scores" VALUES(1,'macro.partial.labels',3.0,NULL,NULL,19953341);
INSERT INTO "scores" VALUES(1,'weighted.partial.labels',3.0,NULL,NULL,1902892481);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.precision',1.0,1.0,1.0,566752906);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.recall',0.5,0.0,1.0,122086447);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.f1',6.66666666666666629659e-01,0.0,1.0,4105900811);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.possible',2.0,NULL,NULL,4055543987);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.actual',1.0,NULL,NULL,3921137196);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.correct_reference',1.0,NULL,NULL,690391658);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.correct_predicted',1.0,NULL,NULL,3329748498);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.incorrect_reference',1.0,NULL,NULL,2058019325);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.incorrect_predicted',0.0,NULL,NULL,2599788458);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.partial_reference',0.0,NULL,NULL,1820376080);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.partial_predicted',0.0,NULL,NULL,2211567720);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.missed',0.0,NULL,NULL,577003194);
INSERT INTO "scores" VALUES(1,'by_label.LOC.type.spurious',0.0,NULL,NULL,2057009958);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.precision',0.0,0.0,0.0,212928246);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.recall',0.0,0.0,0.0,1342797053);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.f1',0.0,0.0,0.0,330985121);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.possible',1.0,NULL,NULL,3682545950);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.actual',1.0,NULL,NULL,1489818535);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.correct_reference',0.0,NULL,NULL,3356664823);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.correct_predicted',0.0,NULL,NULL,658753423);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.incorrect_reference',0.0,NULL,NULL,478656708);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.incorrect_predicted',0.0,NULL,NULL,4090944700);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.partial_reference',0.0,NULL,NULL,2193264546);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.partial_predicted',0.0,NULL,NULL,1844177882);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.missed',1.0,NULL,NULL,2618382622);
INSERT INTO "scores" VALUES(1,'by_label.ORG.type.spurious',1.0,NULL,NULL,3471113515);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.precision',6.66666666666666629659e-01,1.49999999999999744648e-01,1.0,2588051093);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.recall',1.0,1.0,1.0,2917624810);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.f1',0.8,2.24999999999999644728e-01,1.0,1552207708);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.possible',2.0,NULL,NULL,3007864856);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.actual',3.0,NULL,NULL,1410809425);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.correct_reference',2.0,NULL,NULL,1762622815);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.correct_predicted',2.0,NULL,NULL,2254313767);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.incorrect_reference',0.0,NULL,NULL,726755099);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.incorrect_predicted',1.0,NULL,NULL,3406698828);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.partial_reference',0.0,NULL,NULL,3172816554);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.partial_predicted',0.0,NULL,NULL,1380725458);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.missed',0.0,NULL,NULL,3047690576);
INSERT INTO "scores" VALUES(1,'by_label.PER.type.spurious',0.0,NULL,NULL,946449293);
INSERT INTO "scores" VALUES(1,'macro.type.precision',5.55555555555555469204e-01,1.49999999999999744648e-01,1.0,3134472232);
INSERT INTO "scores" VALUES(1,'macro.type.precision_labels',3.0,NULL,NULL,1477423859);
INSERT INTO "scores" VALUES(1,'weighted.type.precision',6.66666666666666629659e-01,3.09999999999999942268e-01,1.0,153594999);
INSERT INTO "scores" VALUES(1,'weighted.type.precision_labels',3.0,NULL,NULL,1258612326);
INSERT INTO "scores" VALUES(1,'macro.type.recall',0.5,1.49999999999999744648e-01,1.0,2330564634);
INSERT INTO "scores" VALUES(1,'macro.type.recall_labels',3.0,NULL,NULL,3219434828);
INSERT INTO "scores" VALUES(1,'weighted.type.recall',0.6,1.12499999999999822364e-01,1.0,2832262164);
INSERT INTO "scores" VALUES(1,'weighted.type.recall_labels',3.0,NULL,NULL,4228330021);
INSERT INTO "scores" VALUES(1,'macro.type.f1',4.88888888888888928363e-01,1.19999999999999815147e-01,1.0,2852299196);
INSERT INTO "scores" VALUES(1,'macro.type.f1_labels',3.0,NULL,NULL,935037475);
INSERT INTO "scores" VALUES(1,'weighted.type.f1',5.86666666666666669627e-01,1.12499999999999822364e-01,1.0,4292520855);
INSERT INTO "scores" VALUES(1,'weighted.type.f1_labels',3.0,NULL,NULL,1205872991);
INSERT INTO "scores" VALUES(1,'macro.type.labels',3.0,NULL,NULL,2241587243);
INSERT INTO "scores" VALUES(1,'weighted.type.labels',3.0,NULL,NULL,112473986);
INSERT INTO "scores" VALUES(1,'findings.correct',2.0,NULL,NULL,1446317993);
INSERT INTO "scores" VALUES(1,'findings.wrong_type',1.0,NULL,NULL,1280792276);
INSERT INTO "scores" VALUES(1,'findings.wrong_boundary',1.0,NULL,NULL,3222785017);
INSERT INTO "scores" VALUES(1,'findings.wrong_type_and_boundary',0.0,NULL,NULL,3073482570);
INSERT INTO "scores" VALUES(1,'findings.missed',1.0,NULL,NULL,3541119644);
INSERT INTO "scores" VALUES(1,'findings.spurious',1.0,NULL,NULL,1680119177);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.mean',0.375,5.62499999999999111821e-02,8.18749999999999644728e-01,3060826117);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.std',4.78713553878169051358e-01,NULL,NULL,3480108919);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.min',0.0,NULL,NULL,3669692044);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.max',1.0,NULL,NULL,1821609938);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.documents',4.0,NULL,NULL,3520309486);
INSERT INTO "scores" VALUES(1,'per_document.strict.precision.se',2.39356776939084525679e-01,NULL,NULL,1940976565);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.mean',0.375,5.62499999999999111821e-02,8.18749999999999644728e-01,3791074663);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.std',4.78713553878169051358e-01,NULL,NULL,2279819635);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.min',0.0,NULL,NULL,2453043336);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.max',1.0,NULL,NULL,606009814);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.documents',4.0,NULL,NULL,3140394534);
INSERT INTO "scores" VALUES(1,'per_document.strict.recall.se',2.39356776939084525679e-01,NULL,NULL,2240885714);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.mean',0.375,5.62499999999999111821e-02,8.18749999999999644728e-01,2450241537);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.std',4.78713553878169051358e-01,NULL,NULL,3455213314);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.min',0.0,NULL,NULL,3626462969);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.max',1.0,NULL,NULL,1846538151);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.documents',4.0,NULL,NULL,2946499726);
INSERT INTO "scores" VALUES(1,'per_document.strict.f1.se',2.39356776939084525679e-01,NULL,NULL,4060777332);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.mean',0.625,1.81249999999999911182e-01,1.0,3142256030);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.std',4.78713553878169051358e-01,NULL,NULL,2824307667);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.min',0.0,NULL,NULL,3179459112);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.max',1.0,NULL,NULL,195703670);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.documents',4.0,NULL,NULL,964890496);
INSERT INTO "scores" VALUES(1,'per_document.exact.precision.se',2.39356776939084525679e-01,NULL,NULL,2650584601);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.mean',0.625,1.81249999999999911182e-01,1.0,3602156623);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.std',4.78713553878169051358e-01,NULL,NULL,1175216834);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.min',0.0,NULL,NULL,1406751545);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.max',1.0,NULL,NULL,3857830503);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.documents',4.0,NULL,NULL,47661122);
INSERT INTO "scores" VALUES(1,'per_document.exact.recall.se',2.39356776939084525679e-01,NULL,NULL,1202326537);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.mean',0.625,1.81249999999999911182e-01,1.0,3278249926);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.std',4.78713553878169051358e-01,NULL,NULL,127096556);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.min',0.0,NULL,NULL,306603799);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.max',1.0,NULL,NULL,2758731337);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.documents',4.0,NULL,NULL,1106002210);
INSERT INTO "scores" VALUES(1,'per_document.exact.f1.se',2.39356776939084525679e-01,NULL,NULL,3872392304);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.mean',0.6875,2.15624999999999955591e-01,1.0,3678681749);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.std',4.73242362150022799482e-01,NULL,NULL,2270472724);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.min',0.0,NULL,NULL,649536168);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.max',1.0,NULL,NULL,2426381302);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.documents',4.0,NULL,NULL,1172189086);
INSERT INTO "scores" VALUES(1,'per_document.partial.precision.se',2.36621181075011399741e-01,NULL,NULL,1740723294);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.mean',0.6875,2.15624999999999955591e-01,1.0,418828605);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.std',4.73242362150022799482e-01,NULL,NULL,1179175265);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.min',0.0,NULL,NULL,3886760413);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.max',1.0,NULL,NULL,1367588995);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.documents',4.0,NULL,NULL,1710344500);
INSERT INTO "scores" VALUES(1,'per_document.partial.recall.se',2.36621181075011399741e-01,NULL,NULL,2219667483);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.mean',0.6875,2.15624999999999955591e-01,1.0,1443866147);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.std',4.73242362150022799482e-01,NULL,NULL,1263833776);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.min',0.0,NULL,NULL,3937868300);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.max',1.0,NULL,NULL,1553963858);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.documents',4.0,NULL,NULL,266803746);
INSERT INTO "scores" VALUES(1,'per_document.partial.f1.se',2.36621181075011399741e-01,NULL,NULL,3654149789);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.mean',0.5,1.12499999999999822364e-01,1.0,3050970732);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.std',5.77350269189625731058e-01,NULL,NULL,3173717443);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.min',0.0,NULL,NULL,3422876925);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.max',1.0,NULL,NULL,2049734051);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.documents',4.0,NULL,NULL,2607475508);
INSERT INTO "scores" VALUES(1,'per_document.type.precision.se',2.88675134594812865529e-01,NULL,NULL,3449760128);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.mean',0.5,1.12499999999999822364e-01,1.0,1335341297);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.std',5.77350269189625731058e-01,NULL,NULL,2535111363);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.min',0.0,NULL,NULL,3862256637);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.max',1.0,NULL,NULL,1344133795);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.documents',4.0,NULL,NULL,750169072);
INSERT INTO "scores" VALUES(1,'per_document.type.recall.se',2.88675134594812865529e-01,NULL,NULL,15469963);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.mean',0.5,1.12499999999999822364e-01,1.0,1529666685);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.std',5.77350269189625731058e-01,NULL,NULL,2030239236);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.min',0.0,NULL,NULL,137174842);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.max',1.0,NULL,NULL,3188039268);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.documents',4.0,NULL,NULL,4152659165);
INSERT INTO "scores" VALUES(1,'per_document.type.f1.se',2.88675134594812865529e-01,NULL,NULL,3976928809);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.mean',6.04166666666666629659e-01,2.15624999999999955591e-01,0.928125,154354596);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.std',4.26956281914983248881e-01,NULL,NULL,2642532577);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.min',0.0,NULL,NULL,258963014);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.max',1.0,NULL,NULL,3108501272);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.documents',4.0,NULL,NULL,4113013802);
INSERT INTO "scores" VALUES(1,'per_document.tokens.accuracy.se',2.1347814095749162444e-01,NULL,NULL,1242066940);
INSERT INTO "scores" VALUES(2,'overall.accuracy',6.66666666666666629659e-01,NULL,NULL,2113417160);
INSERT INTO "scores" VALUES(2,'overall.correct',2.0,NULL,NULL,2192364970);
INSERT INTO "scores" VALUES(2,'overall.total',3.0,NULL,NULL,2696762269);
INSERT INTO "scores" VALUES(2,'micro.precision',6.66666666666666629659e-01,NULL,NULL,581712128);
INSERT INTO "scores" VALUES(2,'micro.recall',6.66666666666666629659e-01,NULL,NULL,460131756);
INSERT INTO "scores" VALUES(2,'micro.f1',6.66666666666666629659e-01,NULL,NULL,1171083082);
INSERT INTO "scores" VALUES(2,'by_label.a.label.precision',0.5,NULL,NULL,793688708);
INSERT INTO "scores" VALUES(2,'by_label.a.label.recall',1.0,NULL,NULL,1661228785);
INSERT INTO "scores" VALUES(2,'by_label.a.label.f1',6.66666666666666629659e-01,NULL,NULL,2099621819);
INSERT INTO "scores" VALUES(2,'by_label.a.label.tp',1.0,NULL,NULL,3000021261);
INSERT INTO "scores" VALUES(2,'by_label.a.label.fp',1.0,NULL,NULL,1720427164);
INSERT INTO "scores" VALUES(2,'by_label.a.label.fn',0.0,NULL,NULL,2360116817);
INSERT INTO "scores" VALUES(2,'by_label.a.label.tn',1.0,NULL,NULL,1475973103);
INSERT INTO "scores" VALUES(2,'by_label.a.label.support',1.0,NULL,NULL,3872900557);
INSERT INTO "scores" VALUES(2,'by_label.b.label.precision',1.0,NULL,NULL,2169569234);
INSERT INTO "scores" VALUES(2,'by_label.b.label.recall',0.5,NULL,NULL,4197032659);
INSERT INTO "scores" VALUES(2,'by_label.b.label.f1',6.66666666666666629659e-01,NULL,NULL,104541528);
INSERT INTO "scores" VALUES(2,'by_label.b.label.tp',1.0,NULL,NULL,3385734126);
INSERT INTO "scores" VALUES(2,'by_label.b.label.fp',0.0,NULL,NULL,312162896);
INSERT INTO "scores" VALUES(2,'by_label.b.label.fn',1.0,NULL,NULL,4173078173);
INSERT INTO "scores" VALUES(2,'by_label.b.label.tn',1.0,NULL,NULL,753339660);
INSERT INTO "scores" VALUES(2,'by_label.b.label.support',2.0,NULL,NULL,2234791354);
INSERT INTO "scores" VALUES(2,'macro.label.precision',0.75,NULL,NULL,2110907071);
INSERT INTO "scores" VALUES(2,'macro.label.precision_labels',2.0,NULL,NULL,1356306068);
INSERT INTO "scores" VALUES(2,'macro.label.recall',0.75,NULL,NULL,4159256074);
INSERT INTO "scores" VALUES(2,'macro.label.recall_labels',2.0,NULL,NULL,3950021652);
INSERT INTO "scores" VALUES(2,'macro.label.f1',6.66666666666666629659e-01,NULL,NULL,1137765405);
INSERT INTO "scores" VALUES(2,'macro.label.f1_labels',2.0,NULL,NULL,1562811203);
INSERT INTO "scores" VALUES(2,'macro.label.labels',2.0,NULL,NULL,769310974);
INSERT INTO "scores" VALUES(2,'weighted.label.precision',8.3333333333333337034e-01,NULL,NULL,2321345336);
INSERT INTO "scores" VALUES(2,'weighted.label.precision_labels',2.0,NULL,NULL,4038983843);
INSERT INTO "scores" VALUES(2,'weighted.label.recall',6.66666666666666629659e-01,NULL,NULL,4092423050);
INSERT INTO "scores" VALUES(2,'weighted.label.recall_labels',2.0,NULL,NULL,187819514);
INSERT INTO "scores" VALUES(2,'weighted.label.f1',6.66666666666666629659e-01,NULL,NULL,575937369);
INSERT INTO "scores" VALUES(2,'weighted.label.f1_labels',2.0,NULL,NULL,702559097);
INSERT INTO "scores" VALUES(2,'weighted.label.labels',2.0,NULL,NULL,2393803695);
INSERT INTO "scores" VALUES(2,'findings.correct',2.0,NULL,NULL,4080886981);
INSERT INTO "scores" VALUES(2,'findings.wrong_label',1.0,NULL,NULL,160205937);
INSERT INTO "scores" VALUES(2,'findings.missed',0.0,NULL,NULL,3737202580);
INSERT INTO "scores" VALUES(2,'findings.spurious',0.0,NULL,NULL,797682366);
INSERT INTO "scores" VALUES(2,'roc_auc.macro',1.0,NULL,NULL,2293837446);
INSERT INTO "scores" VALUES(2,'roc_auc.weighted',1.0,NULL,NULL,2181045730);
INSERT INTO "scores" VALUES(2,'roc_auc.micro',8.88888888888888839545e-01,NULL,NULL,713352283);
INSERT INTO "scores" VALUES(2,'roc_auc.labels',2.0,NULL,NULL,1798017978);
INSERT INTO "scores" VALUES(2,'average_precision.macro',1.0,NULL,NULL,211819975);
INSERT INTO "scores" VALUES(2,'average_precision.weighted',1.0,NULL,NULL,328465679);
INSERT INTO "scores" VALUES(2,'average_precision.micro',9.16666666666666629659e-01,NULL,NULL,3365504480);
INSERT INTO "scores" VALUES(2,'average_precision.labels',2.0,NULL,NULL,3023275056);
INSERT INTO "scores" VALUES(2,'by_label.a.ranking.roc_auc',1.0,NULL,NULL,1434614944);
INSERT INTO "scores" VALUES(2,'by_label.a.ranking.average_precision',1.0,NULL,NULL,2466244640);
INSERT INTO "scores" VALUES(2,'by_label.b.ranking.roc_auc',1.0,NULL,NULL,1465678727);
INSERT INTO "scores" VALUES(2,'by_label.b.ranking.average_precision',1.0,NULL,NULL,3742885959);
INSERT INTO "scores" VALUES(2,'per_document.overall.accuracy.mean',6.66666666666666629659e-01,NULL,NULL,3946469440);
INSERT INTO "scores" VALUES(2,'per_document.overall.accuracy.std',5.77350269189625842081e-01,NULL,NULL,3775818004);
INSERT INTO "scores" VALUES(2,'per_document.overall.accuracy.min',0.0,NULL,NULL,2447630877);
INSERT INTO "scores" VALUES(2,'per_document.overall.accuracy.max',1.0,NULL,NULL,667640643);
INSERT INTO "scores" VALUES(2,'per_document.overall.accuracy.documents',3.0,NULL,NULL,2409882323);
INSERT INTO "scores" VALUES(2,'per_document.overall.accuracy.se',3.3333333333333337034e-01,NULL,NULL,2981724975);
INSERT INTO "scores" VALUES(2,'per_document.micro.precision.mean',6.66666666666666629659e-01,NULL,NULL,3990238078);
INSERT INTO "scores" VALUES(2,'per_document.micro.precision.std',5.77350269189625842081e-01,NULL,NULL,2922581670);
INSERT INTO "scores" VALUES(2,'per_document.micro.precision.min',0.0,NULL,NULL,3739125167);
INSERT INTO "scores" VALUES(2,'per_document.micro.precision.max',1.0,NULL,NULL,1760953585);
INSERT INTO "scores" VALUES(2,'per_document.micro.precision.documents',3.0,NULL,NULL,4117064316);
INSERT INTO "scores" VALUES(2,'per_document.micro.precision.se',3.3333333333333337034e-01,NULL,NULL,405108872);
INSERT INTO "scores" VALUES(2,'per_document.micro.recall.mean',6.66666666666666629659e-01,NULL,NULL,2253911219);
INSERT INTO "scores" VALUES(2,'per_document.micro.recall.std',5.77350269189625842081e-01,NULL,NULL,2378479670);
INSERT INTO "scores" VALUES(2,'per_document.micro.recall.min',0.0,NULL,NULL,4247335743);
INSERT INTO "scores" VALUES(2,'per_document.micro.recall.max',1.0,NULL,NULL,1258402401);
INSERT INTO "scores" VALUES(2,'per_document.micro.recall.documents',3.0,NULL,NULL,57610406);
INSERT INTO "scores" VALUES(2,'per_document.micro.recall.se',3.3333333333333337034e-01,NULL,NULL,4170311262);
INSERT INTO "scores" VALUES(2,'per_document.micro.f1.mean',6.66666666666666629659e-01,NULL,NULL,1972608123);
INSERT INTO "scores" VALUES(2,'per_document.micro.f1.std',5.77350269189625842081e-01,NULL,NULL,1240838374);
INSERT INTO "scores" VALUES(2,'per_document.micro.f1.min',0.0,NULL,NULL,957889519);
INSERT INTO "scores" VALUES(2,'per_document.micro.f1.max',1.0,NULL,NULL,2402335409);
INSERT INTO "scores" VALUES(2,'per_document.micro.f1.documents',3.0,NULL,NULL,1293732197);
INSERT INTO "scores" VALUES(2,'per_document.micro.f1.se',3.3333333333333337034e-01,NULL,NULL,2464663669);
CREATE TABLE sliced_findings (
	run INTEGER NOT NULL, 
	slice INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	finding_group INTEGER NOT NULL, 
	CONSTRAINT pk_sliced_findings PRIMARY KEY (run, slice, position), 
	CONSTRAINT fk_sliced_findings_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "sliced_findings" VALUES(1,0,1,1);
INSERT INTO "sliced_findings" VALUES(1,0,4,4);
INSERT INTO "sliced_findings" VALUES(1,1,1,1);
INSERT INTO "sliced_findings" VALUES(1,1,2,2);
INSERT INTO "sliced_findings" VALUES(1,1,3,3);
INSERT INTO "sliced_findings" VALUES(1,1,4,4);
INSERT INTO "sliced_findings" VALUES(1,2,2,2);
INSERT INTO "sliced_findings" VALUES(1,3,3,3);
CREATE TABLE tags (
	run INTEGER NOT NULL, 
	tag TEXT NOT NULL, 
	CONSTRAINT pk_tags PRIMARY KEY (run, tag), 
	CONSTRAINT fk_tags_run FOREIGN KEY(run) REFERENCES runs (number) ON DELETE CASCADE
);
INSERT INTO "tags" VALUES(1,'x');
CREATE INDEX ix_runs_name ON runs (name);
CREATE INDEX ix_runs_created ON runs (created);
CREATE INDEX ix_inputs_sha256 ON inputs (sha256);
CREATE INDEX ix_tags_tag ON tags (tag);
CREATE INDEX ix_scores_path_value ON scores (path, value);
CREATE INDEX ix_findings_run_finding_group_position ON findings (run, finding_group, position);
CREATE INDEX ix_findings_run_document_position_finding_group ON findings (run, document, position, finding_group);
CREATE INDEX ix_finding_slices_run_slice_column_value ON finding_slices (run, slice_column, value);
COMMIT;
