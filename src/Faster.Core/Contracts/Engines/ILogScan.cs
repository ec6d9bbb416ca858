using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>A scan of a log. Not thread-safe; it holds resources of the store until it is disposed of.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface ILogScan : IDisposable
{
    /// <summary>The record at which the scan is. Valid until the next <see cref="MoveNext"/>.</summary>
    RecordView Current { get; }

    /// <summary>Moves on to the next record.</summary>
    /// <returns>False at the end.</returns>
    bool MoveNext();
}
