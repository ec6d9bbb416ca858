using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Checks the arguments of a batch.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class BatchLength
{
    /// <summary>Throws if a span has another length than that of the keys.</summary>
    /// <param name="length">The length of the span.</param>
    /// <param name="keys">The number of keys.</param>
    /// <param name="name">The name of the span.</param>
    /// <exception cref="ArgumentException">The lengths differ.</exception>
    public static void ThrowIfOther(int length, int keys, string name)
    {
        if (length != keys) throw new ArgumentException($"There must be as many {name} as keys.", name);
    }
}
