//! Known differences between Google's emulator and Bigtable.

use super::report::Deviation;

const CODE: &str = "refusals carry UNKNOWN, and INTERNAL in bulk writes";
const NO_CHECK: &str = "requests are not checked before they are applied";
const HALF: &str = "what came before a failing part stays applied";
const ABSENT_FAMILY: &str = "deletes and filters do not look whether the family is there";
const AGGREGATES: &str = "minima and maxima keep the last input, and any write is taken";
const READS: &str = "empty ranges and negative limits give no rows";
const IGNORED: &str = "sinks and bitmasks are ignored";
const FILTERS: &str = "filters are looked at when they are applied, and in part";
const LIMITS: &str = "limits are not enforced";
const ADMIN: &str = "names, rules, splits and prefixes are not checked";

/// The deterministic deviations of Google's emulator, as of google-cloud-cli 528.
///
/// A memory backend with [`Profile::Emulator`](crate::memory::Profile::Emulator) has all of them.
#[rustfmt::skip]
pub const EMULATOR_DEVIATIONS: &[Deviation] = &[
    Deviation::always("writes::a_failing_mutation_leaves_no_trace", CODE).showing("UNKNOWN"),
    Deviation::always("deletes::an_inverted_range_is_refused", CODE).showing("UNKNOWN"),
    Deviation::always("deletes::an_empty_range_is_refused", CODE).showing("UNKNOWN"),
    Deviation::always("conditional::a_failing_branch_leaves_no_trace", CODE).showing("UNKNOWN"),
    Deviation::always("conditional::increment_refuses_other_lengths", CODE).showing("UNKNOWN"),
    Deviation::always("conditional::modify_refuses_an_unknown_family", CODE).showing("UNKNOWN"),
    Deviation::always("refusals::unknown_family", CODE).showing("UNKNOWN"),
    Deviation::always("refusals::unknown_family_in_words", CODE),
    Deviation::always("refusals::timestamp_in_microseconds", CODE).showing("UNKNOWN"),
    Deviation::always("refusals::timestamp_in_microseconds_in_words", CODE),
    Deviation::always("refusals::negative_timestamp", CODE).showing("UNKNOWN"),
    Deviation::always("refusals::timestamp_too_large", CODE).showing("UNKNOWN"),
    Deviation::always("admin::an_update_replaces_the_rule", CODE).showing("UNKNOWN"),
    Deviation::always("bulk::unknown_family_fails_every_entry", NO_CHECK).showing("Internal"),
    Deviation::always("bulk::bad_timestamp_fails_the_request", NO_CHECK).showing("Internal"),
    Deviation::always("bulk::empty_key_fails_the_request", NO_CHECK).showing("Internal"),
    Deviation::always("bulk::entry_without_mutations_fails_the_request", NO_CHECK).showing("success"),
    Deviation::always("conditional::no_mutations_are_refused", NO_CHECK).showing("success"),
    Deviation::always("conditional::modify_refuses_an_empty_key", NO_CHECK).showing("success"),
    Deviation::always("conditional::modify_refuses_no_rules", NO_CHECK).showing("success"),
    Deviation::always("conditional::a_failing_rule_leaves_no_trace", HALF),
    Deviation::always("refusals::a_refused_row_is_not_half_applied", HALF),
    Deviation::always("admin::families_change_all_or_none", HALF),
    Deviation::always("deletes::an_unknown_family_is_refused", ABSENT_FAMILY).showing("success"),
    Deviation::always("filters::absent_family_in_a_range_is_not_found", ABSENT_FAMILY).showing("success"),
    Deviation::always("aggregates::min_and_max_keep_one", AGGREGATES),
    Deviation::always("aggregates::aggregate_family_refuses_set_cell", AGGREGATES).showing("success"),
    Deviation::always("aggregates::plain_family_refuses_add_to_cell", AGGREGATES).showing("UNKNOWN"),
    Deviation::always("reads::an_empty_range_is_refused", READS).showing("success"),
    Deviation::always("reads::a_negative_limit_is_refused", READS).showing("success"),
    Deviation::always("filters::value_bitmask", IGNORED),
    Deviation::always("filters::sink_goes_to_the_output", IGNORED),
    Deviation::always("filters::sink_in_a_condition_is_refused", IGNORED).showing("success"),
    Deviation::always("filters::invalid_filters_are_refused_over_an_empty_table", FILTERS).showing("success"),
    Deviation::always("filters::strip_and_label", FILTERS),
    Deviation::always("filters::two_labels_on_a_path_are_refused", FILTERS).showing("success"),
    Deviation::always("filters::label_over_15_characters_is_refused", FILTERS).showing("success"),
    Deviation::always("filters::family_regex_with_colon_is_refused", FILTERS).showing("success"),
    Deviation::always("filters::time_range_in_microseconds_is_refused", FILTERS).showing("success"),
    Deviation::always("filters::a_filter_over_20_levels_is_refused", LIMITS).showing("success"),
    Deviation::always("filters::a_filter_over_20_kib_is_refused", LIMITS).showing("success"),
    Deviation::always("refusals::key_over_4_kib", LIMITS).showing("success"),
    Deviation::always("refusals::qualifier_over_16_kib", LIMITS).showing("success"),
    Deviation::always("refusals::too_many_mutations", LIMITS).showing("success"),
    Deviation::always("admin::a_table_name_is_checked", ADMIN).showing("success"),
    Deviation::always("admin::a_rule_of_nothing_is_refused", ADMIN).showing("success"),
    Deviation::always("admin::drop_by_an_empty_prefix_is_refused", ADMIN).showing("success"),
    Deviation::always("admin::samples_are_one_per_split", ADMIN),
];
