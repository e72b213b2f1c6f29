//! Times of day as the files and folders have them.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

fn timestamp(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// `2026-08-24T18:03:37.123Z`.
pub fn rfc3339_ms(time: SystemTime) -> String {
    format!("{:.3}", timestamp(time))
}

/// `20260824-180337`, for the name of a folder.
pub fn folder_stamp(time: SystemTime) -> String {
    let time = TimeZone::UTC.to_datetime(timestamp(time));
    format!(
        "{:04}{:02}{:02}-{:02}{:02}{:02}",
        time.year(),
        time.month(),
        time.day(),
        time.hour(),
        time.minute(),
        time.second()
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_known_time() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_787_594_617_123);
        assert_eq!(rfc3339_ms(time), "2026-08-24T18:03:37.123Z");
        assert_eq!(folder_stamp(time), "20260824-180337");
    }
}
