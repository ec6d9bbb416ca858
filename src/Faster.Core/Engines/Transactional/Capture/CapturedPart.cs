using Faster.Analytics.Scans;
using Faster.Contracts;

namespace Faster.Engines.Transactional.Capture;

/// <summary>A part of what a session has captured. Not thread-safe: it has one user at a time.</summary>
/// <param name="schema">The schema of the records.</param>
internal sealed class CapturedPart(RecordSchema schema)
{
    /// <summary>The records, with the values of the version being committed.</summary>
    public RecordCopies Copies { get; } = new(schema);

    /// <summary>The version whose commit it is for.</summary>
    public long Version { get; set; }

    /// <summary>The bytes of the captures' memory that it takes.</summary>
    public long Bytes { get; set; }
}
