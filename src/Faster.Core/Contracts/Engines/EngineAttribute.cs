using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// Marks a static class as an engine that <see cref="StoreAttribute.Engine"/> may name: the types of its store,
/// sessions and options. What the engine can do is what interfaces of this namespace its store and sessions implement,
/// one for each capability (docs/internals/engine-contract.md).
/// </summary>
/// <remarks>
/// The class has <c>OpenAsync</c>, and <c>RecoverAsync</c> if the engine commits, which emitted code calls. Emitted
/// stores and sessions derive from the engine's, and call their members; so those are public, or protected where an
/// editor should not show them.
/// </remarks>
/// <param name="store">
/// The store: a generic type definition with two parameters, the emitted session and the emitted record; with a
/// constructor that takes what opening hands to it.
/// </param>
/// <param name="session">The session, with a constructor that takes what the store hands to it.</param>
/// <param name="options">The options, with a constructor without parameters.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
[AttributeUsage(AttributeTargets.Class, Inherited = false)]
public sealed class EngineAttribute(Type store, Type session, Type options) : Attribute
{
    /// <summary>The type that emitted stores derive from.</summary>
    public Type Store => store;

    /// <summary>The type that emitted sessions derive from.</summary>
    public Type Session => session;

    /// <summary>The type of the options with which stores are opened.</summary>
    public Type Options => options;
}
