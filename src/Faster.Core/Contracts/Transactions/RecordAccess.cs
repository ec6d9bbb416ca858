using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Specifies what a transaction may do with a record.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum RecordAccess : byte
{
    /// <summary>It reads the record, beside others that do.</summary>
    Read,

    /// <summary>It reads the record and may change it, alone.</summary>
    Write,
}
