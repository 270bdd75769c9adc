use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "WIDE")]
struct Wide {
    #[bigtable(key)]
    host: String,
    #[bigtable(time)]
    at: Timestamp,
    #[bigtable(family = "F001")]
    f001: f64,
    #[bigtable(family = "F002")]
    f002: f64,
    #[bigtable(family = "F003")]
    f003: f64,
    #[bigtable(family = "F004")]
    f004: f64,
    #[bigtable(family = "F005")]
    f005: f64,
    #[bigtable(family = "F006")]
    f006: f64,
    #[bigtable(family = "F007")]
    f007: f64,
    #[bigtable(family = "F008")]
    f008: f64,
    #[bigtable(family = "F009")]
    f009: f64,
    #[bigtable(family = "F010")]
    f010: f64,
    #[bigtable(family = "F011")]
    f011: f64,
    #[bigtable(family = "F012")]
    f012: f64,
    #[bigtable(family = "F013")]
    f013: f64,
    #[bigtable(family = "F014")]
    f014: f64,
    #[bigtable(family = "F015")]
    f015: f64,
    #[bigtable(family = "F016")]
    f016: f64,
    #[bigtable(family = "F017")]
    f017: f64,
    #[bigtable(family = "F018")]
    f018: f64,
    #[bigtable(family = "F019")]
    f019: f64,
    #[bigtable(family = "F020")]
    f020: f64,
    #[bigtable(family = "F021")]
    f021: f64,
    #[bigtable(family = "F022")]
    f022: f64,
    #[bigtable(family = "F023")]
    f023: f64,
    #[bigtable(family = "F024")]
    f024: f64,
    #[bigtable(family = "F025")]
    f025: f64,
    #[bigtable(family = "F026")]
    f026: f64,
    #[bigtable(family = "F027")]
    f027: f64,
    #[bigtable(family = "F028")]
    f028: f64,
    #[bigtable(family = "F029")]
    f029: f64,
    #[bigtable(family = "F030")]
    f030: f64,
    #[bigtable(family = "F031")]
    f031: f64,
    #[bigtable(family = "F032")]
    f032: f64,
    #[bigtable(family = "F033")]
    f033: f64,
    #[bigtable(family = "F034")]
    f034: f64,
    #[bigtable(family = "F035")]
    f035: f64,
    #[bigtable(family = "F036")]
    f036: f64,
    #[bigtable(family = "F037")]
    f037: f64,
    #[bigtable(family = "F038")]
    f038: f64,
    #[bigtable(family = "F039")]
    f039: f64,
    #[bigtable(family = "F040")]
    f040: f64,
    #[bigtable(family = "F041")]
    f041: f64,
    #[bigtable(family = "F042")]
    f042: f64,
    #[bigtable(family = "F043")]
    f043: f64,
    #[bigtable(family = "F044")]
    f044: f64,
    #[bigtable(family = "F045")]
    f045: f64,
    #[bigtable(family = "F046")]
    f046: f64,
    #[bigtable(family = "F047")]
    f047: f64,
    #[bigtable(family = "F048")]
    f048: f64,
    #[bigtable(family = "F049")]
    f049: f64,
    #[bigtable(family = "F050")]
    f050: f64,
    #[bigtable(family = "F051")]
    f051: f64,
    #[bigtable(family = "F052")]
    f052: f64,
    #[bigtable(family = "F053")]
    f053: f64,
    #[bigtable(family = "F054")]
    f054: f64,
    #[bigtable(family = "F055")]
    f055: f64,
    #[bigtable(family = "F056")]
    f056: f64,
    #[bigtable(family = "F057")]
    f057: f64,
    #[bigtable(family = "F058")]
    f058: f64,
    #[bigtable(family = "F059")]
    f059: f64,
    #[bigtable(family = "F060")]
    f060: f64,
    #[bigtable(family = "F061")]
    f061: f64,
    #[bigtable(family = "F062")]
    f062: f64,
    #[bigtable(family = "F063")]
    f063: f64,
    #[bigtable(family = "F064")]
    f064: f64,
    #[bigtable(family = "F065")]
    f065: f64,
    #[bigtable(family = "F066")]
    f066: f64,
    #[bigtable(family = "F067")]
    f067: f64,
    #[bigtable(family = "F068")]
    f068: f64,
    #[bigtable(family = "F069")]
    f069: f64,
    #[bigtable(family = "F070")]
    f070: f64,
    #[bigtable(family = "F071")]
    f071: f64,
    #[bigtable(family = "F072")]
    f072: f64,
    #[bigtable(family = "F073")]
    f073: f64,
    #[bigtable(family = "F074")]
    f074: f64,
    #[bigtable(family = "F075")]
    f075: f64,
    #[bigtable(family = "F076")]
    f076: f64,
    #[bigtable(family = "F077")]
    f077: f64,
    #[bigtable(family = "F078")]
    f078: f64,
    #[bigtable(family = "F079")]
    f079: f64,
    #[bigtable(family = "F080")]
    f080: f64,
    #[bigtable(family = "F081")]
    f081: f64,
    #[bigtable(family = "F082")]
    f082: f64,
    #[bigtable(family = "F083")]
    f083: f64,
    #[bigtable(family = "F084")]
    f084: f64,
    #[bigtable(family = "F085")]
    f085: f64,
    #[bigtable(family = "F086")]
    f086: f64,
    #[bigtable(family = "F087")]
    f087: f64,
    #[bigtable(family = "F088")]
    f088: f64,
    #[bigtable(family = "F089")]
    f089: f64,
    #[bigtable(family = "F090")]
    f090: f64,
    #[bigtable(family = "F091")]
    f091: f64,
    #[bigtable(family = "F092")]
    f092: f64,
    #[bigtable(family = "F093")]
    f093: f64,
    #[bigtable(family = "F094")]
    f094: f64,
    #[bigtable(family = "F095")]
    f095: f64,
    #[bigtable(family = "F096")]
    f096: f64,
    #[bigtable(family = "F097")]
    f097: f64,
    #[bigtable(family = "F098")]
    f098: f64,
    #[bigtable(family = "F099")]
    f099: f64,
    #[bigtable(family = "F100")]
    f100: f64,
    #[bigtable(family = "F101")]
    f101: f64,
}

fn main() {
    let _ = Wide::query();
}
