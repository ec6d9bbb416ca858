namespace Faster;

/// <summary>
/// Makes a store of a static partial class: the generator reads key, value, input, output and context off the annotated
/// methods and writes a nested <c>Store</c> and <c>Session</c> with the user's code inlined (paper 000 App. E).
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class StoreAttribute : Attribute
{
    /// <summary>The engine behind the store. Chosen at compile time; nothing of the others is linked in.</summary>
    public StoreEngine Engine { get; set; } = StoreEngine.Faster;

    /// <summary>Who keeps concurrent updates of one record apart.</summary>
    public StoreConcurrency Concurrency { get; set; } = StoreConcurrency.Latched;

    /// <summary>The key's type, where no annotated method tells it.</summary>
    public Type? Key { get; set; }

    /// <summary>The value's type, where no annotated method tells it.</summary>
    public Type? Value { get; set; }

    /// <summary>
    /// The <c>JsonSerializerContext</c> for keys, values and inputs that are neither unmanaged nor bytes nor strings.
    /// </summary>
    public Type? SerializerContext { get; set; }
}

/// <summary>The engines that a store can stand on.</summary>
public enum StoreEngine
{
    /// <summary>FASTER (SIGMOD'18): update-heavy state, larger than memory.</summary>
    Faster,
}

/// <summary>Who keeps concurrent updates of one record apart.</summary>
public enum StoreConcurrency
{
    /// <summary>
    /// The store does: <c>total += amount</c> is right. User functions run under the record's latch bit; but a value of
    /// a primitive type of 1, 2, 4 or 8 bytes is updated by compare-and-swap, and its updater runs again when another
    /// update came first.
    /// </summary>
    Latched,

    /// <summary>
    /// The user's functions do, by atomics of their own or because no two sessions touch a key at once.
    /// </summary>
    User,
}
