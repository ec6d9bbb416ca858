using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// How long a value of variable length is and may become in place. An engine keeps it in its records, or makes it for a
/// call and writes back what the call has changed.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public struct ValueExtent
{
    /// <summary>The value's length in bytes.</summary>
    public int Length;

    /// <summary>The number of bytes that the value may have in place.</summary>
    public int Capacity;
}
