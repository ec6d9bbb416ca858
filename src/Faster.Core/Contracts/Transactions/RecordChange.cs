using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Specifies what the commit of a transaction does with a record.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum RecordChange : byte
{
    /// <summary>The record stays as it is, absent or not.</summary>
    None,

    /// <summary>The record gets a new value, and is created if it is absent.</summary>
    Set,

    /// <summary>The record is deleted, if there is one.</summary>
    Delete,
}
