//! Properties of every mapping.

use proptest::prelude::*;

use super::*;

fn role() -> impl Strategy<Value = TermRole> {
    prop_oneof![
        Just(TermRole::Select),
        Just(TermRole::Filter),
        Just(TermRole::Measure),
        Just(TermRole::GroupBy),
        Just(TermRole::Sort),
    ]
}

proptest! {
    #[test]
    fn every_field_is_one_of_the_index(
        text in "(port|delay|arrival|date|status|delivered|not|by|kg|\\PC| ){0,6}",
        role in role(),
        best_guess: bool,
    ) {
        let index = shipments();
        let known = |name: &str| index.fields.iter().any(|field| field.name == name || field.exact_field.as_deref() == Some(name));
        let arguments = FieldMappingArguments {
            text: text.clone(),
            terms: vec![term(&text, role)],
            time_words: Some(text.clone()),
            entities: vec![entity("Miami", "port")],
            best_guess,
            ..FieldMappingArguments::default()
        };
        let mapping = mapped(&arguments);
        for field in &mapping.fields {
            prop_assert!(known(&field.field));
            if role == TermRole::Measure {
                prop_assert!(field.field_type.is_number());
            }
        }
        prop_assert!(mapping.entities.iter().all(|entity| known(&entity.field)));
        prop_assert!(mapping.date_field.iter().all(|field| known(field)));
        prop_assert!(mapping.unmapped.iter().flat_map(|term| &term.nearest).all(|field| known(field)));
        let parts = mapping.clarification.iter().flat_map(|asked| &asked.parts);
        for part in parts {
            prop_assert!((2..=5).contains(&part.options.len()));
            prop_assert!(part.options.iter().all(|option| known(&option.id)));
        }
        prop_assert_eq!(mapped(&arguments), mapping);
    }
}
