namespace Faster.Conformance.Engines.Kinds;

/// <summary>A session that is continued by its name, if its engine commits.</summary>
internal interface INamedSession
{
    /// <summary>The session, as any class whose engine commits has it.</summary>
    ICommittingSession Named { get; }
}
